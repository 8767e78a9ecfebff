import { afterAll, beforeAll } from 'bun:test';
import { checkChanges, checkPower } from './changes.ts';
import { type RunningProject, startProject } from './project.ts';
import { checkRights } from './rights.ts';
import { checkTour } from './tour.ts';

/** The Debian of an engine of its own, and MinIO, may have to be made first. */
const START_LIMIT_MS = 25 * 60_000;
/** An engine's images are gigabytes of small files. */
const STOP_LIMIT_MS = 5 * 60_000;

let started: RunningProject | null = null;

beforeAll(async () => {
  started = await startProject();
  process.stdout.write(`on ${started.engine.name}\n`);
}, START_LIMIT_MS);

afterAll(() => started?.stop(), STOP_LIMIT_MS);

function project(): RunningProject {
  if (started === null) throw new Error('the project is not there');
  return started;
}

// One after the other on one project: the first two look at it as it was started, the others change it.
checkTour(project);
checkRights(project);
checkChanges(project);
checkPower(project);
