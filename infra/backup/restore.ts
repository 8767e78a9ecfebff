import { loadConfig } from '../../shared/config.ts';
import { checkBackup, restoreBackup } from './restore-backup.ts';
import { endWith, readArguments, runTool } from './run-tool.ts';

const USAGE = `npm run restore -- --from FOLDER [--check]
  --from   the folder of the backup
  --check  read the whole backup and compare it with its manifest; restore nothing
`;

const options = readArguments(USAGE, { from: { type: 'string' }, check: { type: 'boolean' } });
const from = options.from ?? '';
if (from === '') endWith(USAGE);

await runTool(async (opened) => {
  const backup = await checkBackup(from, process.stdout);
  if (options.check !== true) await restoreBackup(loadConfig(), backup, process.stdout, opened);
});
