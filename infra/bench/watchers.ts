import type { Socket } from 'bun';

/** Clients that follow a key as events, each over a connection of its own. */
export interface Watchers {
  /** Resolves when all have seen the value with this number; how long that took the middle one and the last, in ms. */
  seen(number: number, since: number): Promise<{ middleMs: number; lastMs: number }>;
  /** Counts connections that have ended. */
  readonly lost: number;
  close(): void;
}

/** Clients as the gateway tells them apart, by `X-Forwarded-For`. */
const CLIENTS = 20;

/** Opens so many, and waits until each has the value of now. A value is a number. */
export async function openWatchers(url: string, path: string, count: number): Promise<Watchers> {
  const { hostname, port, host } = new URL(url);
  const sockets: Array<Socket<State>> = [];
  /** When each value was seen, by its number. */
  const times = new Map<number, number[]>();
  const waiting = new Map<number, () => void>();
  let lost = 0;
  let begun = 0;
  const allBegun = Promise.withResolvers<void>();

  const see = (number: number): void => {
    const seen = times.get(number) ?? [];
    times.set(number, seen);
    seen.push(performance.now());
    if (seen.length === count) waiting.get(number)?.();
  };
  const open = (n: number): Promise<Socket<State>> =>
    Bun.connect<State>({
      hostname,
      port: Number(port),
      data: { rest: '', isBegun: false },
      socket: {
        open(socket) {
          const head = [
            ...[`GET ${path} HTTP/1.1`, `Host: ${host}`, 'User-Agent: bench', 'Accept: text/event-stream'],
            `X-Forwarded-For: 10.0.0.${n % CLIENTS}`,
          ];
          socket.write(`${head.join('\r\n')}\r\n\r\n`);
        },
        data(socket, bytes) {
          const { data } = socket;
          data.rest += bytes.toString();
          for (const [, number] of data.rest.matchAll(/data: (\d+)\n\n/g)) see(Number(number));
          data.rest = data.rest.slice(data.rest.lastIndexOf('\n\n') + 1);
          if (data.isBegun) return;
          data.isBegun = true;
          begun += 1;
          if (begun === count) allBegun.resolve();
        },
        close() {
          lost += 1;
        },
      },
    });

  const LANES = 50;
  await Promise.all(
    Array.from({ length: LANES }, async (_, lane) => {
      for (let n = lane; n < count; n += LANES) sockets.push(await open(n));
    }),
  );
  await allBegun.promise;
  return {
    async seen(number, since) {
      if ((times.get(number)?.length ?? 0) < count) {
        const done = Promise.withResolvers<void>();
        waiting.set(number, done.resolve);
        await Promise.race([done.promise, Bun.sleep(30_000)]);
      }
      const seen = (times.get(number) ?? []).map((time) => time - since).toSorted((a, b) => a - b);
      if (seen.length < count) throw new Error(`${count - seen.length} watchers did not see value ${number}`);
      return { middleMs: seen[count >> 1] ?? 0, lastMs: seen.at(-1) ?? 0 };
    },
    get lost() {
      return lost;
    },
    close() {
      for (const socket of sockets) socket.end();
    },
  };
}

interface State {
  rest: string;
  isBegun: boolean;
}
