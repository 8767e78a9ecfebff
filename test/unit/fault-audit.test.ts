import { expect, test } from 'bun:test';
import { allReads, auditTargets } from '../../infra/load/audit.ts';
import type { Client } from '../../infra/load/client.ts';
import { documents } from '../../infra/load/kinds/items.ts';
import type { LoadKind, Target } from '../../infra/load/kinds/kind.ts';
import { sites } from '../../infra/load/kinds/sites.ts';
import { createRegister } from '../../infra/load/ledger.ts';
import type { Seen } from '../../infra/load/send.ts';

const GATEWAYS = ['first', 'second'];

/** Gateways that answer what they are told to: by path, and by their number. */
const gatewaysThatSay = (answer: (path: string, gateway: number) => Seen): Client => ({
  gateways: GATEWAYS,
  tally: { answered: 0, refused: 0, unanswered: 0, worstMs: 0, worst: '', requests: [] },
  send: async ({ path }, gateway) => answer(path, gateway),
});

const say = (status: number, text = ''): Seen => ({
  answered: true,
  status,
  retryAfter: null,
  text,
  headers: new Headers(),
});

/** Version 2 was acknowledged after version 1; what an audit says that finds something else. */
async function audit(kind: LoadKind, answer: (target: Target, path: string, gateway: number) => Seen) {
  const target: Target = {
    namespace: 'public',
    id: 'one',
    key: '',
    ownerToken: 'own',
    nextVersion: 3,
    register: createRegister(),
  };
  for (const version of [1, 2]) target.register.begin(version).outcome = 'done';
  const kinds: string[] = [];
  const client = gatewaysThatSay((path, gateway) => answer(target, path, gateway));
  await auditTargets([{ kind, target }], {
    client,
    patienceMs: 0,
    reads: allReads(client),
    note: (finding) => kinds.push(finding),
  });
  return kinds;
}

const textOf = (kind: LoadKind, target: Target, path: string, version: number): string =>
  kind
    .reads(target)
    .find(({ call }) => call.path === path)
    ?.expected(version) ?? '';

const document = (target: Target, path: string, version: number): Seen =>
  say(200, textOf(documents, target, path, version));

test('what was acknowledged last, everywhere, is no finding', async () => {
  expect(await audit(documents, (target, path) => document(target, path, 2))).toEqual([]);
});

test('what is there instead is told apart', async () => {
  const all = await Promise.all([
    audit(documents, (target, path) => document(target, path, 1)),
    audit(documents, () => say(410)),
    audit(documents, () => say(404)),
    audit(documents, (target, path) => document(target, path, 3)),
    audit(documents, (target, path) => say(200, textOf(documents, target, path, 2).slice(0, -1))),
    audit(documents, () => say(200, 'something')),
    audit(documents, () => say(503)),
  ]);
  expect(all).toEqual([['lost'], ['lost'], ['answer'], ['foreign'], ['foreign'], ['foreign'], ['refused']]);
});

test('one gateway, or one file, of another version is half of a write', async () => {
  expect(await audit(documents, (target, path, gateway) => document(target, path, gateway + 1))).toEqual([
    'half',
  ]);
  const siteWith = (target: Target, path: string): Seen => {
    const version = path.endsWith('part-2.txt') ? 1 : 2;
    if (!path.startsWith('/api')) return say(200, textOf(sites, target, path, version));
    const files = textOf(sites, target, path, version).split(' ');
    return say(200, JSON.stringify({ files: files.map((file) => ({ path: file })) }));
  };
  expect(await audit(sites, siteWith)).toEqual(['half']);
});
