import { createHash } from 'node:crypto';
import { createPage, readRaw, type Seen, send, updatePage } from './client.ts';
import { insist } from './insist.ts';

/** Writes sent at once, and what must be true of them afterwards. */
export interface Workload {
  /** Sends all writes at once; `onAcknowledged` gets the count of acknowledged ones so far. Ends when all are settled. */
  run(addresses: string[], onAcknowledged: (count: number) => void): Promise<void>;
  /** Reads every page back and compares. */
  verify(baseUrl: string): Promise<Verdict>;
}

export interface Verdict {
  sent: number;
  acknowledged: number;
  /** Answered 503 or 504 with Retry-After. */
  refused: number;
  /** Connections that broke. */
  unanswered: number;
  /** Broken promises: an acknowledged write that is lost, content that was never sent, an answer not allowed. */
  faults: string[];
}

interface Target {
  id: string;
  type: string;
  /** Every content sent to it, oldest first, with what became of it. */
  versions: Array<{ content: string; seen: Seen | null }>;
}

const NAMESPACE = 'faults';
const path = (id: string): string => `/${NAMESPACE}/${id}`;

/** Some kilobytes that are like no other; every fifth page is markdown and has a rendered view besides. */
function contentOf(name: string, n: number): { type: string; content: string } {
  const markdown = n % 5 === 0;
  const line = createHash('sha256').update(name).digest('hex');
  const body = Array.from({ length: 20 + (n % 50) * 4 }, (_, row) => `${row} ${line}`).join('\n');
  return {
    type: markdown ? 'text/markdown' : 'text/html',
    content: markdown
      ? `# ${name}\n\n${body}\n`
      : `<!doctype html><title>${name}</title>\n<pre>${body}</pre>\n`,
  };
}

/**
 * `creates` new pages under ids of their own, and two updates one after the other to each of `updates` pages that are
 * published here first.
 */
export async function prepareWorkload(
  baseUrl: string,
  counts: { creates: number; updates: number },
): Promise<Workload> {
  const name = createHash('sha256').update(crypto.randomUUID()).digest('hex').slice(0, 8);
  const created: Target[] = [];
  const updated: Target[] = [];
  for (let n = 0; n < counts.creates; n++) {
    const id = `${name}-c${n}`;
    const { type, content } = contentOf(id, n);
    created.push({ id, type, versions: [{ content, seen: null }] });
  }
  for (let n = 0; n < counts.updates; n++) {
    const id = `${name}-u${n}`;
    const { type } = contentOf(id, n);
    const versions = ['first', 'second', 'third'].map((version) => ({
      content: contentOf(`${id} ${version}`, n).content,
      seen: null,
    }));
    updated.push({ id, type, versions });
  }
  await fewAtOnce(updated, async ({ id, type, versions: [first] }) => {
    if (first === undefined) return;
    first.seen = await insist(() => createPage(baseUrl, { id, type, content: first.content }));
    if (!isAcknowledged(first.seen)) throw new Error(`the page ${id} could not be prepared`);
  });

  return {
    async run(addresses, onAcknowledged) {
      let acknowledged = 0;
      const note = (version: Target['versions'][number], seen: Seen): void => {
        version.seen = seen;
        if (isAcknowledged(seen)) onAcknowledged(++acknowledged);
      };
      const address = (n: number): string => addresses[n % addresses.length] ?? baseUrl;
      await Promise.all([
        ...created.map(async ({ id, type, versions: [version] }, n) => {
          if (version === undefined) return;
          note(version, await createPage(address(n), { id, type, content: version.content }));
        }),
        ...updated.map(async ({ id, type, versions }, n) => {
          for (const version of versions.slice(1))
            note(version, await updatePage(address(n), path(id), version.content, type));
        }),
      ]);
    },
    async verify(readFrom) {
      const faults = await fewAtOnce([...created, ...updated], (target) => check(readFrom, target));
      const writes = [...created, ...updated.map(({ versions }) => ({ versions: versions.slice(1) }))];
      const seen = writes.flatMap(({ versions }) => versions.map((version) => version.seen));
      const count = (test: (one: Seen) => boolean): number =>
        seen.filter((one) => one !== null && test(one)).length;
      return {
        sent: seen.length,
        acknowledged: count(isAcknowledged),
        refused: count((one) => one.answered && one.status >= 500),
        unanswered: count((one) => !one.answered),
        faults: faults.flat(),
      };
    },
  };
}

/** What prepares and what verifies is no load test: on a busy machine some of all at once would be refused. */
const FEW = 8;

async function fewAtOnce<T, R>(items: T[], task: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let next = 0; next < items.length; next += FEW)
    results.push(...(await Promise.all(items.slice(next, next + FEW).map(task))));
  return results;
}

const isAcknowledged = (seen: Seen): boolean => seen.answered && (seen.status === 200 || seen.status === 201);

async function check(baseUrl: string, { id, versions }: Target): Promise<string[]> {
  const faults: string[] = [];
  for (const { seen } of versions) {
    if (seen === null) faults.push(`${id}: a write was never settled`);
    else if (seen.answered && !isAcknowledged(seen)) {
      const allowed = (seen.status === 503 || seen.status === 504) && seen.retryAfter !== null;
      if (!allowed) faults.push(`${id}: answered ${seen.status} ${seen.text.slice(0, 200)}`);
    }
  }
  const newest = versions.findLastIndex(({ seen }) => seen !== null && isAcknowledged(seen));
  const read = await insist(() => readRaw(baseUrl, path(id)));
  if (!read.answered) return [...faults, `${id}: cannot be read: ${read.reason}`];
  if (read.status === 404 && newest < 0) return faults;
  if (read.status !== 200)
    return [...faults, `${id}: reads ${read.status} ${read.text}, acknowledged version ${newest}`];
  const found = versions.findIndex(({ content }) => content === read.text);
  if (found < 0) faults.push(`${id}: holds ${read.text.length} bytes that nobody sent`);
  else if (found < newest) faults.push(`${id}: holds version ${found}, acknowledged was ${newest}`);
  const view = await insist(() => send(`${baseUrl}${path(id)}`));
  if (!view.answered || view.status !== 200) faults.push(`${id}: its view does not open`);
  return faults;
}
