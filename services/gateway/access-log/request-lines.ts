import type { AccessEvent } from '../../../shared/contracts/access-log.ts';
import { createLineWriter, type Logger } from '../../../shared/logger.ts';

/** Logs an event in a line. What one has in common with the one before is made JSON once. */
export function createRequestLines(log: Logger): (event: AccessEvent) => void {
  const write = createLineWriter(log);
  const address = createQuoting();
  const verb = createQuoting();
  const place = createQuoting();
  return ({ requestId, clientIp, method, path, query, status, durationMs, requests }) => {
    const asked = `"clientIp":${address(clientIp)},"method":${verb(method)},"path":${place(path)}`;
    const search = query === '' ? '' : `,"query":${JSON.stringify(query)}`;
    const times = requests === undefined ? '' : `,"requests":${requests}`;
    write(
      `"requestId":"${requestId}","http":{${asked}${search},"status":${status},"durationMs":${durationMs}${times}}`,
    );
  };
}

/** Texts as JSON, of which many are the same as the last. */
function createQuoting(): (text: string) => string {
  let last = '';
  let json = '""';
  return (text) => {
    if (text !== last) json = JSON.stringify(text);
    last = text;
    return json;
  };
}
