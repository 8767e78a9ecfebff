import { loadStoreSettings } from '../../shared/config.ts';
import { makeBackup } from './make-backup.ts';
import { exitWithUsage, readArguments, runTool } from './run-tool.ts';

const USAGE = `npm run backup -- --to FOLDER [--without-log]
  --to           where the backup goes; what is there already of an earlier one is not copied again
  --without-log  leave the access log out
`;

const options = readArguments(USAGE, { to: { type: 'string' }, 'without-log': { type: 'boolean' } });
const to = options.to ?? '';
if (to === '') exitWithUsage(USAGE);
const withLog = options['without-log'] !== true;

await runTool((opened) => makeBackup(loadStoreSettings(), { to, withLog }, process.stdout, opened));
