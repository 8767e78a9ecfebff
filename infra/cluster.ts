import { join, resolve } from 'node:path';
import { askControl, type Command, readCommand } from './cluster/control.ts';
import { runCluster } from './cluster/run.ts';
import { orEnd } from './command-line.ts';
import { ownEnvironment } from './environment.ts';

/**
 * The distributed mode on one machine without containers: real servers on free ports, and each service in processes
 * of its own. Data stays in `<DATA_DIR>/cluster` over restarts. Servers that the environment names are used instead.
 * With `--ha` each of its own servers but S3 is there several times, and any one may die (docs/availability.md).
 * `status` and `scale --content 3` speak to the cluster that runs on that folder.
 */
const environment = ownEnvironment();
const dir = join(resolve(environment.DATA_DIR?.trim() || './data'), 'cluster');

async function perform(command: Command): Promise<void> {
  if (command.do === 'run')
    await runCluster({ dir, environment, counts: command.counts, isHa: command.isHa });
  else process.stdout.write(await askControl(dir, command.do === 'scale' ? command.counts : undefined));
}

await orEnd((async () => perform(readCommand(process.argv.slice(2))))());
