import { createReadStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isConnectionLost } from '../../shared/adapters/database/errors.ts';
import type { Database, Query } from '../../shared/items/sql.ts';

/** Sends a file, in PostgreSQL's text format, into a table. */
export async function copyIn(
  tx: Query,
  command: string,
  path: string,
  onChunk: (chunk: Uint8Array) => void = () => undefined,
): Promise<void> {
  const copy = (tx as Database).unsafe(command);
  const rows = (await copy.writable()) as Writable;
  // The client (postgres 3.4.9) reports an error that arrives after all rows are sent, such as a duplicate key, only to
  // the statement, which has settled with `rows`: the rows would never end. A lost connection is left to the
  // transaction, which rejects: a ROLLBACK on that connection would end the process.
  const refused = Promise.withResolvers<never>();
  Reflect.set(copy, 'reject', (error: unknown) => {
    if (!isConnectionLost(error)) refused.reject(error);
  });
  const sent = pipeline(
    createReadStream(path, { highWaterMark: 262_144 }),
    async function* (source: AsyncIterable<Uint8Array>) {
      for await (const chunk of source) {
        onChunk(chunk);
        yield chunk;
      }
    },
    rows,
  );
  await Promise.race([sent, refused.promise]);
}
