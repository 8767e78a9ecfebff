import { type CreateTask, createPages } from './pages.ts';
import { publish } from './perch.ts';

/** A process of its own: makes pages through a gateway. */
export interface ThroughPerch extends CreateTask {
  url: string;
}

const task = JSON.parse(process.argv[2] ?? '') as ThroughPerch;
const outcome = await createPages(task, (bytes) => publish(task.url, bytes));
process.stdout.write(JSON.stringify(outcome));
