import { createRandom } from '../random.ts';
import type { PublishedItem } from './demo-item.ts';
import { inventItems } from './items.ts';
import { type DemoOptions, readOptions, USAGE } from './options.ts';
import { createPerchClient, DemoStop, type PerchClient } from './perch-client.ts';
import { createProgress } from './progress.ts';
import { publishItems } from './publish.ts';
import { makeTraffic, REPORTS, type TrafficCount } from './traffic.ts';

/** Fills a running Perch with items that people might publish, then uses them for a while. */
const options = readOptions(process.argv.slice(2));
if (options === null) {
  process.stderr.write(USAGE);
  process.exit(2);
}
const stop = new AbortController();
for (const [name, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(name, () => {
    process.exitCode = code;
    stop.abort();
  });
}

try {
  await fill(options);
} catch (error) {
  if (stop.signal.aborted) {
    process.stdout.write('\nStopped. What was published stays until its time is over.\n');
  } else if (error instanceof DemoStop) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } else throw error;
}

async function fill({ url, items: count, seconds, seed }: DemoOptions): Promise<void> {
  const perch = createPerchClient(url, stop.signal);
  const random = createRandom(seed);
  const owner = await becomeOwner(perch, count);
  const publishing = createProgress('publishing', process.stdout);
  const items = await publishItems(perch, inventItems(random, count), {
    owner,
    onPublished: (done) => publishing.show(done / count, `${done} of ${count} items`),
  }).finally(() => publishing.end());

  const using = createProgress('using', process.stdout);
  const traffic = await makeTraffic(perch, {
    items,
    owner,
    random,
    seconds,
    signal: stop.signal,
    onProgress: (share, { requests }) => using.show(share, `${requests} requests`),
  }).finally(() => using.end());
  process.stdout.write(summarise(perch, items, owner, traffic));
}

/** A token that will own everything. @throws DemoStop when the rate limit would not let the demo through */
async function becomeOwner(perch: PerchClient, count: number): Promise<string> {
  const { reply, headers } = await perch.ask<{ ownerToken: string }>('/api/owner', { method: 'POST' });
  const left = headers.get('RateLimit-Remaining');
  const needed = count + REPORTS;
  if (left !== null && Number(left) < needed) {
    throw new DemoStop(
      `Perch takes ${left} more uploads from here within the hour, and the demo makes ${needed}. Start Perch with LIMIT_UPLOADS_PER_HOUR=0, or ask for fewer: --items.`,
    );
  }
  return reply.ownerToken;
}

function summarise(
  { url }: PerchClient,
  items: readonly PublishedItem[],
  owner: string,
  { requests, limited }: TrafficCount,
): string {
  const secret = items.find(({ password }) => password !== null);
  const site = items.find(({ content }) => content.kind === 'site');
  const lines = [
    `${items.length} items published, ${requests} requests made.`,
    ...(limited === 0
      ? []
      : [
          `${limited} of them were over the rate limit: LIMIT_READS_PER_MINUTE=0 and LIMIT_CHANGES_PER_HOUR=0 lift it.`,
        ]),
    `  gallery      ${url}/gallery`,
    `  a page       ${items[0]?.url ?? url}`,
    `  a site       ${site?.url ?? url}`,
    ...(secret === undefined ? [] : [`  protected    ${secret.url} opens with “${secret.password}”`]),
    `  owner token  ${owner}`,
  ];
  return `${lines.join('\n')}\n`;
}
