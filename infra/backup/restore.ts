import { loadStoreSettings } from '../../shared/config.ts';
import { checkBackup, restoreBackup } from './restore-backup.ts';
import { exitWithUsage, readArguments, runTool } from './run-tool.ts';

const USAGE = `npm run restore -- --from FOLDER [--check]
  --from   the folder of the backup
  --check  read the whole backup and compare it with its manifest; restore nothing
`;

const options = readArguments(USAGE, { from: { type: 'string' }, check: { type: 'boolean' } });
const from = options.from ?? '';
if (from === '') exitWithUsage(USAGE);

await runTool((opened) =>
  options.check === true
    ? checkBackup(from, process.stdout)
    : restoreBackup(loadStoreSettings(), from, process.stdout, opened),
);
