import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc, { type Arbitrary } from 'fast-check';
import { expectDocumentedRaw } from '../acceptance/support/documented.ts';
import type { Instance } from '../instance.ts';
import { EXAMPLE_ADMIN_PASSWORD } from '../openapi/example-items.ts';
import { OPERATIONS, type PlacedOperation } from '../openapi/schemas.ts';
import { damaged, damages, sendBytes } from './hostile.ts';
import { createItemPool, type ItemPool } from './item-pool.ts';
import { nearPlans } from './near-plans.ts';
import type { Plan } from './plan.ts';
import { curlLine, prepare, send } from './send.ts';
import { validPlans } from './valid-plans.ts';
import { createTally, faultsOf } from './verdict.ts';

export interface FuzzOptions {
  /** A Perch with the operator's password of the examples that trusts one proxy; it is given once. */
  perch: () => Promise<Instance>;
  /** How many requests in all. */
  requests: number;
  /** Of equal seeds the requests are equal, but for the items they are sent to. */
  seed: number;
  /** `METHOD /path/{template}` of the only operation to try; all when empty. */
  only?: string;
}

/** Each test takes as long as its requests do. */
const TEST_LIMIT_MS = 900_000;
const START_LIMIT_MS = 300_000;

/** Requests that the document allows, at most, to an operation that gave none of the others its success answer. */
const MAX_MORE = 300;
/** How many of them are made at a time: the first one usually does it, and some values take long to make. */
const MORE_AT_A_TIME = 5;

/** Of all requests so many are sent with damaged bytes. */
const HOSTILE_SHARE = 0.1;

/**
 * Operations that change what later requests of the fuzz are answered: they lift the limits of its owner, remove its items,
 * or block it. They come last, in this order.
 */
const LAST = [
  'POST /api/admin/owners/{ownerId}/promote',
  'DELETE /api/admin/owners/{ownerId}',
  'POST /api/admin/blocklist',
];

/**
 * Operations whose fields no schema judges. Of the console's forms one takes a password, the other what pages have put into it.
 * Whether a name can be a domain is in the Public Suffix List.
 */
const LEFT_OUT = new Set(['POST /admin/sign-in', 'POST /admin/actions', 'PUT /api/{ns}/{id}/domain']);

const nameOf = ({ method, path }: PlacedOperation): string => `${method} ${path}`;

/** Requests from one of many clients: nobody is locked out for what others tried. */
const clients: Arbitrary<string> = fc.ipV4();

/**
 * Registers a test for every operation of the interface document, which sends requests that the document allows and
 * others that differ from them in one thing, and holds each answer against the document. A failure is shrunk, and told
 * with the seed and a line for a shell.
 */
export function fuzzOperations({ perch, requests, seed, only = '' }: FuzzOptions): void {
  const asked = OPERATIONS.filter((placed) =>
    only === '' ? !LEFT_OUT.has(nameOf(placed)) : nameOf(placed) === only,
  );
  const operations = asked.toSorted((a, b) => LAST.indexOf(nameOf(a)) - LAST.indexOf(nameOf(b)));
  const each = Math.ceil(requests / operations.length);
  const hostile = Math.ceil(each * HOSTILE_SHARE);
  const tally = createTally();
  let url = '';
  let pool: ItemPool;

  describe(`${each * operations.length} requests with FUZZ_SEED=${seed}`, () => {
    beforeAll(async () => {
      url = (await perch()).url;
      pool = createItemPool(url);
    }, START_LIMIT_MS);

    for (const placed of operations) {
      test(
        nameOf(placed),
        async () => {
          const plans = fc.oneof(validPlans(placed), nearPlans(placed));
          const ownSeed = (seed ^ Bun.hash.crc32(nameOf(placed))) | 0;
          const property = fc.asyncProperty(plans, clients, async (plan, client) => {
            await tryPlan(plan, client);
          });
          await fc.assert(property, { seed: ownSeed, numRuns: each - hostile });
          const wild = fc.asyncProperty(
            validPlans(placed),
            damages,
            clients,
            async (plan, damage, client) => {
              const request = await prepare(url, plan, pool, client);
              await tryBytes(damaged(request, damage));
              await undo(plan);
            },
          );
          await fc.assert(wild, { seed: ownSeed, numRuns: hostile });
          for (let more = 0; more < MAX_MORE && !hasSucceeded(placed); more += MORE_AT_A_TIME) {
            const some = { seed: ownSeed + more, numRuns: MORE_AT_A_TIME };
            for (const plan of fc.sample(validPlans(placed), some)) {
              await tryPlan(plan, '192.0.2.1');
              if (hasSucceeded(placed)) return;
            }
          }
        },
        TEST_LIMIT_MS,
      );
    }

    test('every operation gave its success answer', () => {
      const never = operations.filter((placed) => !hasSucceeded(placed));
      expect(never.map(nameOf)).toEqual([]);
    });

    afterAll(async () => {
      await liftBlocks(url);
      process.stdout.write(`FUZZ_SEED=${seed}\n${tally.table(operations.map(nameOf))}\n`);
    });
  });

  function hasSucceeded(placed: PlacedOperation): boolean {
    return tally.count(nameOf(placed), successOf(placed)) > 0;
  }

  async function tryPlan(plan: Plan, client: string): Promise<void> {
    const request = await prepare(url, plan, pool, client);
    const exchange = await send(request);
    tally.add(exchange);
    await undo(plan);
    const faults = faultsOf(plan, exchange);
    if (faults.length === 0) return;
    const body = new TextDecoder().decode(exchange.body as Uint8Array).slice(0, 600);
    throw new Error([...faults, `off: ${plan.change}`, body, curlLine(request)].join('\n'));
  }

  /** An answer of the service is as documented; of what is no HTTP the server says so by itself, or hangs up. */
  async function tryBytes(bytes: Uint8Array): Promise<void> {
    const response = await sendBytes(url, bytes);
    if (response === null) return;
    const again = `echo ${Buffer.from(bytes).toString('base64')} | base64 -d | nc ${url.replace(/^http:..(.*):/, '$1 ')}`;
    try {
      if (!('x-request-id' in response.headers)) return;
      expect(response.status).toBeLessThan(500);
      const [requestLine = ''] = Buffer.from(bytes).toString('latin1').split('\r\n');
      expectDocumentedRaw(requestLine, response);
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : error}\n${again}`);
    }
  }

  /** Makes the pool forget an item that may be removed or hidden now, and lets its content be stored again. */
  async function undo({ method, template, wanted }: Plan): Promise<void> {
    const mayBeGone = method === 'DELETE' || (method === 'POST' && template.endsWith('/hide'));
    if (mayBeGone && wanted !== null) pool.removed(wanted);
    if (method === 'DELETE' && template === '/api/admin/items/{ns}/{id}') await liftContentBlocks(url);
  }
}

const OPERATOR = { 'User-Agent': 'PerchFuzz/1.0', 'X-Admin-Password': EXAMPLE_ADMIN_PASSWORD };

/** Ends all blocks of clients: others use this Perch, too. */
const liftBlocks = (url: string): Promise<void> => empty(`${url}/api/admin/blocklist`, 'id');

/** Items of the pool have equal contents: a take-down of one with its content would let no other be made. */
const liftContentBlocks = (url: string): Promise<void> => empty(`${url}/api/admin/blocked-content`, 'hash');

/** Deletes all entries of a list of the operator's, each under the name that it has there. */
async function empty(list: string, name: string): Promise<void> {
  const answer = await fetch(`${list}?limit=1000`, { headers: OPERATOR });
  for (const entry of (await answer.json()) as Array<Record<string, string>>)
    await fetch(`${list}/${entry[name]}`, { method: 'DELETE', headers: OPERATOR });
}

/** The status that says of an operation that it did what it is for. */
const successOf = ({ operation }: PlacedOperation): number =>
  SUCCESSES.get(operation.operationId) ?? Math.min(...Object.keys(operation.responses).map(Number));

/** Addresses of pictures are signed by the page that names them; any other leads to a general picture. */
const SUCCESSES = new Map([['readGalleryPicture', 302]]);
