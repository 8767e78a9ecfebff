import postgres from 'postgres';
import type { Instance } from '../instance.ts';
import { send } from './client.ts';
import { until } from './waiting.ts';

export interface Traffic {
  /** Ends it and returns the marks of the requests that were answered. */
  end(): Promise<string[]>;
  /** How many were answered so far. */
  readonly answered: number;
}

const LANES = 8;

/** Reads a page without end, each time with a mark of its own, and counts what is not a 200. */
export function startTraffic(url: string, path: string, label: string): Traffic {
  const marks: string[] = [];
  const refused: string[] = [];
  let ending = false;
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let n = 0; !ending; n++) {
      const mark = `${label}-${lane}-${n}`;
      const seen = await send(`${url}${path}?raw=true&mark=${mark}`);
      if (seen.answered) marks.push(mark);
      if (!seen.answered || seen.status !== 200) refused.push(`${mark}: ${JSON.stringify(seen)}`);
      await Bun.sleep(2);
    }
  });
  return {
    get answered() {
      return marks.length;
    },
    async end() {
      ending = true;
      await Promise.all(lanes);
      if (refused.length > 0) throw new Error(`not answered with 200: ${refused.slice(0, 5).join(', ')}`);
      return marks;
    },
  };
}

/** Reads the access log straight from the database. */
export function openAccessLog({ env }: Instance) {
  const sql = postgres(env.PG_URL ?? '', { max: 1, onnotice: () => undefined });
  /** The marks of one label, once for each row. While the database is away: none. */
  const marksOf = async (label: string): Promise<string[]> => {
    const rows = await sql<Array<{ mark: string }>>`
      select substring(query from 'mark=([^&]*)') as mark from access_entries where query like ${`%mark=${label}-%`}`
      // A partition may be made or dropped meanwhile; and the database of a fault test comes and goes.
      .catch(() => []);
    return rows.map(({ mark }) => mark).toSorted();
  };
  return {
    marksOf,
    /** Waits for `count` rows and returns the marks. */
    async untilLogged(label: string, count: number): Promise<string[]> {
      let marks: string[] = [];
      const check = async (): Promise<boolean> => {
        marks = await marksOf(label);
        return marks.length >= count;
      };
      await until(`${count} requests of ${label} are logged`, check).catch((error: unknown) => {
        throw new Error(`${marks.length} are logged: ${String(error)}`);
      });
      return marks;
    },
    close: () => sql.end({ timeout: 1 }),
  };
}
