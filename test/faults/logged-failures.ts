import { readFile } from 'node:fs/promises';
import type { Instance } from '../instance.ts';

/** Part of a line about a failure that a process logs of its own: the cause of a 500, which no client is told. */
const FAILURE = '"msg":"operation failed"';

/** The lines about failures in the logs of a Perch, the last ones: to be shown with an expectation that fails. */
export async function loggedFailures({ logFiles }: Instance): Promise<string> {
  const logs = await Promise.all(logFiles.map((file) => readFile(file, 'utf8')));
  const lines = logs.flatMap((log) => log.split('\n').filter((line) => line.includes(FAILURE)));
  return lines.slice(-20).join('\n');
}
