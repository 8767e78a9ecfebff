import {
  type Client,
  createClient,
  type Published,
  type RequestOptions,
} from '../acceptance/support/client.ts';
import {
  itemPath,
  KINDS,
  type KindUnderTest,
  publishKind,
  readContent,
} from '../acceptance/support/kinds.ts';

/** Counts of the polls so far, by action and outcome, such as `read html 200`. */
export interface Polled {
  counts: Record<string, number>;
  /** Answers that nobody may get, whatever is being restarted: wrong content, or an error that is not said as one. */
  wrong: string[];
  /** The longest that an answer took, in ms. */
  longestMs: number;
}

/** A light load: reads of each kind, changes of a key, and new pages, each one after the other. */
export interface Poller {
  /** Waits until each thing to do has succeeded anew. @throws Error when one has not within `limitMs` */
  untilAllSucceed(limitMs: number): Promise<void>;
  /** Forgets what was counted, and gives it. */
  take(): Polled;
  stop(): Promise<void>;
  /** Reads all that was acknowledged so far, and says what is not there. */
  findLost(): Promise<string[]>;
}

const PAUSE_MS = 50;

/** Errors that are promised while a part is away, with how long to wait. */
const isRefusal = ({ status, headers }: Response): boolean =>
  [503, 504].includes(status) && (status === 504 || headers.has('retry-after'));

export async function startPoller(url: () => string): Promise<Poller> {
  const client: Client = createClient(url, { isProxied: true });
  const items = new Map<KindUnderTest, Published>();
  for (const kind of KINDS) items.set(kind, await publishKind(client, kind, `polled ${kind.name}`));
  const created: Published[] = [];
  let value = 0;
  let acknowledgedValue = 0;
  let isOver = false;
  let polled: Polled = { counts: {}, wrong: [], longestMs: 0 };
  let succeeded = new Set<string>();

  const steps: Record<string, () => Promise<void>> = {};
  const step = (
    name: string,
    send: () => Promise<Response>,
    check: (answer: Response) => Promise<boolean>,
  ) => {
    steps[name] = async () => {
      const count = (outcome: string): void => {
        polled.counts[`${name} ${outcome}`] = (polled.counts[`${name} ${outcome}`] ?? 0) + 1;
      };
      const began = performance.now();
      try {
        const answer = await send();
        if (!answer.ok) {
          const text = await answer.text();
          if (!isRefusal(answer)) polled.wrong.push(`${name}: ${answer.status} ${text}`);
        } else if (await check(answer)) succeeded.add(name);
        else polled.wrong.push(`${name}: another content`);
        count(String(answer.status));
      } catch {
        // While the proxy itself is away there is no answer at all.
        count('unanswered');
      }
      polled.longestMs = Math.max(polled.longestMs, performance.now() - began);
    };
  };
  for (const [kind, item] of items)
    step(
      `read ${kind.name}`,
      () => readContent(client, kind, item),
      async (answer) => {
        const text = await answer.text();
        return kind.name === 'kv' ? text.length > 0 : text.includes(kind.bytesOf(`polled ${kind.name}`));
      },
    );
  const store = items.get(KINDS.find(({ name }) => name === 'kv') ?? failed('no kind of stores'));
  if (store === undefined) throw new Error('no store');
  const owner: RequestOptions = { headers: { 'X-Owner-Token': store.ownerToken } };
  const key = `/api/kv/${store.namespace}/${store.id}/count`;
  step(
    'write kv',
    () => client.request(key, { ...owner, method: 'PUT', json: { value: ++value } }),
    async () => {
      acknowledgedValue = value;
      return true;
    },
  );
  step(
    'write html',
    () => client.post({ body: '<p>new', headers: { 'Content-Type': 'text/html' } }),
    async (answer) => {
      created.push((await answer.json()) as Published);
      return true;
    },
  );

  // Each by itself: what waits for a server keeps nothing else from being asked.
  const running = Object.values(steps).map(async (run) => {
    while (!isOver) {
      await run();
      await Bun.sleep(PAUSE_MS);
    }
  });

  return {
    async untilAllSucceed(limitMs) {
      succeeded = new Set();
      const deadline = Date.now() + limitMs;
      const missing = () => Object.keys(steps).filter((name) => !succeeded.has(name));
      while (missing().length > 0) {
        if (Date.now() > deadline) throw new Error(`not again within ${limitMs} ms: ${missing().join(', ')}`);
        await Bun.sleep(50);
      }
    },
    take() {
      const taken = polled;
      polled = { counts: {}, wrong: [], longestMs: 0 };
      return taken;
    },
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
    async findLost() {
      const lost: string[] = [];
      for (const item of [...created]) {
        const answer = await client.read(item);
        if (!(await answer.text()).includes('<p>new')) lost.push(`${item.id}: ${answer.status}`);
      }
      for (const [kind, item] of items) {
        const answer = await client.request(itemPath(kind, item), {
          headers: { 'X-Owner-Token': item.ownerToken },
        });
        if (!answer.ok) lost.push(`${kind.name} ${item.id}: ${answer.status}`);
        await answer.arrayBuffer();
      }
      const acknowledged = acknowledgedValue;
      const answer = await client.request(`/${store.namespace}/${store.id}/count`);
      const read = Number(await answer.text());
      // One that was on its way without an answer may have been made.
      if (!(read >= acknowledged && read <= value)) lost.push(`count is ${read}, not ${acknowledged}`);
      return lost;
    },
  };
}

function failed(reason: string): never {
  throw new Error(reason);
}

/** In words, for the output: all that did not succeed, and how long the slowest answer took. */
export function describePolled({ counts, longestMs }: Polled): string {
  const asked = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const others = Object.entries(counts).filter(([name]) => !isSuccess(name));
  const failed = others.map(([name, count]) => `${name} ${count}×`).join(', ') || 'none refused';
  return `${asked} requests, ${failed}, the longest ${(longestMs / 1000).toFixed(1)} s`;
}

/** Whether a name in `counts` is that of a success. */
export const isSuccess = (name: string): boolean => / 20\d$/.test(name);
