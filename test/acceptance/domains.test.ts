import { afterAll, expect, test } from 'bun:test';
import type { Sql } from 'postgres';
import { withDatabase } from '../faults/blob-audit.ts';
import { jsonOf, ownedBy } from './support/client.ts';
import { atOnce, eventually, fresh, tally } from './support/concurrency.ts';
import {
  claimed,
  type DomainAnswer,
  domainOf,
  domainSettings,
  holdDomain,
  readDomain,
  removeDomain,
  SERVICE_ADDRESS,
  SERVICE_HOST,
  setDomain,
} from './support/domains.ts';
import { expectError } from './support/errors.ts';
import { behindLockOf } from './support/locked-item.ts';
import { startNameServer } from './support/name-server.ts';
import { usePerch } from './support/perch.ts';

const names = await startNameServer();
afterAll(() => names.stop());

const perch = usePerch({ env: domainSettings(names, { CONTENT_BASE_URL: 'https://*.perch-items.net' }) });

let last = 0;
/** A domain that no other test uses. */
const someDomain = (): string => `site-${++last}.example.org`;

const query = <T>(run: (sql: Sql) => Promise<T>): Promise<T> => withDatabase(perch.instance, run);

test('a claim says which record to set, and becomes active when it is there and the domain leads here', async () => {
  const item = await perch.publish('<p>own');
  const domain = someDomain();
  await expectError(await readDomain(perch, item), 404, 'NOT_FOUND');
  const pending = await claimed(perch, item, domain);
  expect(pending).toMatchObject({
    domain,
    state: 'pending',
    finding: null,
    url: `https://${domain}/`,
    target: SERVICE_HOST,
    record: { type: 'TXT', name: `_perch-challenge.${domain}` },
    checkedAt: null,
    verifiedAt: null,
    lostAt: null,
    removedAt: null,
  });
  expect(pending.record.value).toMatch(/^perch-verification=[\w-]{32}$/);
  expect(names.asked(pending.record.name)).toBe(0);

  const without = await claimed(perch, item, domain.toUpperCase());
  expect([without.state, without.finding, without.record]).toEqual(['pending', 'none', pending.record]);

  names.setTexts(pending.record.name, 'perch-verification=another', 'v=spf1 -all', pending.record.value);
  const verified = await claimed(perch, item, `${domain}.`);
  expect([verified.state, verified.finding, verified.record]).toEqual(['verified', 'record', pending.record]);
  expect(verified.verifiedAt).not.toBeNull();

  names.setAddresses(domain, '192.0.2.99', SERVICE_ADDRESS);
  expect((await claimed(perch, item, domain)).state).toBe('active');
  const read = await readDomain(perch, item);
  expect(read.headers.get('Cache-Control')).toBe('private, no-store');
  expect(await jsonOf(read)).toMatchObject({ domain, state: 'active', verifiedAt: verified.verifiedAt });

  names.setAddresses(domain, '192.0.2.99');
  expect((await claimed(perch, item, domain)).state).toBe('verified');
  expect((await removeDomain(perch, item)).status).toBe(204);
  await expectError(await removeDomain(perch, item), 404, 'NOT_FOUND');
  await expectError(await readDomain(perch, item), 404, 'NOT_FOUND');
});

test('a token is of one item and one domain', async () => {
  const [one, other] = [await perch.publish('<p>one'), await perch.publish('<p>other')];
  const domain = someDomain();
  const values = [
    (await claimed(perch, one, domain)).record.value,
    (await claimed(perch, other, domain)).record.value,
    (await claimed(perch, one, someDomain())).record.value,
    (await claimed(perch, one, domain)).record.value,
  ];
  expect(new Set(values).size).toBe(4);
});

test.each([
  [
    'a name alone',
    ['https://www.example.org', 'www.example.org/x', 'www.example.org:8080', 'a b.example.org'],
  ],
  [
    'a name alone',
    ['user@example.org', '*.example.org', '', '.', 'www.example.org?x', 5, null, ['x.example.org']],
  ],
  ['no address', ['192.0.2.1', '[2001:db8::1]', '2001:db8::1', '0x7f.1', '127.1']],
  ['two labels', ['localhost', 'example', 'perch.']],
  [
    'labels',
    [
      `${'a'.repeat(64)}.example.org`,
      '-a.example.org',
      'a-.example.org',
      'a_b.example.org',
      'a..example.org',
    ],
  ],
  ['its length', [`${`${'a'.repeat(59)}.`.repeat(4)}example.org`]],
  ['no public suffix', ['org', 'co.uk', 'github.io', 'xn--p1ai', 'рф']],
  ['a public one', ['host.local', 'perch.internal', 'db.corp', 'www.example.test']],
  [
    'not the operator’s',
    [
      SERVICE_HOST,
      `www.${SERVICE_HOST}`,
      'example.com',
      'www.example.com',
      'perch-items.net',
      'x.perch-items.net',
    ],
  ],
])('what is not %s is refused', async (_, domains: unknown[]) => {
  const item = await perch.publish('<p>refused');
  for (const domain of domains) {
    const answer = await setDomain(perch, item, domain);
    const { code, details } = await jsonOf<{ code: string; details: Array<{ field: string }> }>(answer, 400);
    expect([domain, code, details[0]?.field]).toEqual([domain, 'VALIDATION_FAILED', 'domain']);
  }
  await expectError(await readDomain(perch, item), 404, 'NOT_FOUND');
});

test('names are kept as name servers know them', async () => {
  const item = await perch.publish('<p>bücher');
  expect((await claimed(perch, item, ' WWW.Bücher.DE. ')).domain).toBe('www.xn--bcher-kva.de');
  expect((await claimed(perch, item, 'example.github.io')).domain).toBe('example.github.io');
  // 236 characters: its record's name has 253.
  const longest = `${`${'a'.repeat(56)}.`.repeat(3)}${'a'.repeat(53)}.example.org`;
  expect((await claimed(perch, item, longest)).record.name).toHaveLength(253);
  expect((await setDomain(perch, item, `a${longest}`)).status).toBe(400);
});

test('only its owner reads and changes the domain of an item', async () => {
  const item = await perch.publish('<p>mine');
  const other = await perch.publish('<p>theirs');
  const domain = someDomain();
  await expectError(await setDomain(perch, item, domain, {}), 403, 'OWNER_TOKEN_REQUIRED');
  await expectError(await setDomain(perch, item, domain, ownedBy(other)), 403, 'OWNER_TOKEN_WRONG');
  const path = `/api/${item.namespace}/${item.id}/domain`;
  await expectError(await perch.request(path), 403, 'OWNER_TOKEN_REQUIRED');
  await expectError(
    await perch.request(path, { method: 'DELETE', ...ownedBy(other) }),
    403,
    'OWNER_TOKEN_WRONG',
  );
  await expectError(await setDomain(perch, { ...item, id: 'missing' }, domain), 404, 'NOT_FOUND');
});

test('a name server that fails or is silent takes nothing away and gives nothing', async () => {
  const item = await perch.publish('<p>held');
  const waiting = await perch.publish('<p>waiting');
  const domain = someDomain();
  await holdDomain(perch, names, item, domain);
  const { record } = await claimed(perch, waiting, someDomain());
  names.setTexts(record.name, record.value);
  try {
    const { domain: theirs } = await domainOf(perch, waiting);
    for (const as of ['servfail', 'silent'] as const) {
      names.behave(as);
      const asked = [setDomain(perch, item, domain), setDomain(perch, waiting, theirs)];
      const [held, pending] = await Promise.all(asked.map(async (answer) => jsonOf(await answer)));
      expect(held).toMatchObject({ state: 'active', finding: 'failure', lostAt: null });
      expect(pending).toMatchObject({ state: 'pending', finding: 'failure' });
    }
  } finally {
    names.behave('well');
  }
}, 60_000);

test('a record that went makes a domain lost, and its return brings it back', async () => {
  const item = await perch.publish('<p>lost');
  const domain = someDomain();
  const record = await holdDomain(perch, names, item, domain);
  names.setTexts(record.name);
  const lost = await claimed(perch, item, domain);
  expect([lost.state, lost.finding]).toEqual(['lost', 'none']);
  expect(Date.parse(lost.removedAt ?? '') - Date.parse(lost.lostAt ?? '')).toBe(7 * 86_400_000);
  names.setTexts(record.name, record.value);
  expect(await claimed(perch, item, domain)).toMatchObject({
    state: 'active',
    lostAt: null,
    removedAt: null,
  });
});

test('what is due is looked after without being asked, and taken away a week after its record went', async () => {
  const item = await perch.publish('<p>daily');
  const domain = someDomain();
  const record = await holdDomain(perch, names, item, domain);
  const makeDue = (lostFor: string) =>
    query(
      (sql) => sql`
        update item_domains set due_at = now(), lost_at = now() - ${lostFor}::interval where domain = ${domain}`,
    );
  names.setTexts(record.name);
  await query((sql) => sql`update item_domains set due_at = now() where domain = ${domain}`);
  await eventually(async () => (await domainOf(perch, item)).state === 'lost');
  // A failure on the last day is none.
  names.behave('servfail');
  await makeDue('8 days');
  await eventually(async () => (await domainOf(perch, item)).finding === 'failure');
  expect((await domainOf(perch, item)).state).toBe('lost');
  names.behave('well');
  await makeDue('6 days');
  await eventually(async () => (await domainOf(perch, item)).finding === 'none');
  expect((await domainOf(perch, item)).state).toBe('lost');
  await makeDue('7 days');
  await eventually(async () => (await readDomain(perch, item)).status === 404);
  const rows = await query((sql) => sql`select domain from items where id = ${item.id}`);
  expect(rows.map((row) => row.domain)).toEqual([null]);
}, 120_000);

test('a claim that waits for its record is verified without being asked', async () => {
  const item = await perch.publish('<p>waits');
  const { domain, record } = await claimed(perch, item, someDomain());
  names.setTexts(record.name, record.value);
  await query((sql) => sql`update item_domains set due_at = now() where domain = ${domain}`);
  await eventually(async () => (await domainOf(perch, item)).state === 'verified');
});

test('several may wait for a domain; who is verified first keeps it while the record is there', async () => {
  const [first, second] = [await perch.publish('<p>first'), await perch.publish('<p>second')];
  const domain = someDomain();
  const [a, b] = [await claimed(perch, first, domain), await claimed(perch, second, domain)];
  names.setTexts(a.record.name, b.record.value, a.record.value);
  expect((await claimed(perch, second, domain)).state).toBe('verified');
  await expectError(await setDomain(perch, first, domain), 409, 'DOMAIN_TAKEN');
  expect(await domainOf(perch, first)).toMatchObject({ state: 'pending', finding: 'held' });
  // The domain's new owner says that it is the first item's.
  names.setTexts(a.record.name, a.record.value);
  expect((await claimed(perch, first, domain)).state).toBe('verified');
  expect(await domainOf(perch, second)).toMatchObject({
    state: 'pending',
    finding: 'held',
    verifiedAt: null,
  });
  const rows = await query((sql) => sql`select id from items where domain = ${domain}`);
  expect(rows.map((row) => row.id)).toEqual([first.id]);
});

test('who takes a domain over leaves alone the domain that its holder has claimed meanwhile', async () => {
  const [holder, next] = [await perch.publish('<p>holder'), await perch.publish('<p>next')];
  const [domain, other] = [someDomain(), someDomain()];
  await holdDomain(perch, names, holder, domain);
  const { record } = await claimed(perch, next, domain);
  // The record of the holder has gone, that of the next one is there.
  names.setTexts(record.name, record.value);
  const [moved, taken] = await behindLockOf(perch.instance, holder, [
    () => setDomain(perch, holder, other),
    () => setDomain(perch, next, domain),
  ]);
  expect([moved?.status, taken?.status]).toEqual([200, 200]);
  expect(await domainOf(perch, next)).toMatchObject({ domain, state: 'active' });
  expect(await domainOf(perch, holder)).toMatchObject({
    domain: other,
    state: 'pending',
    finding: null,
    checkedAt: null,
  });
  // The new claim is looked after without being asked.
  const due = await query(
    async (sql) => await sql`select due_at is not null as due from item_domains where domain = ${other}`,
  );
  expect(due.map((row) => row.due)).toEqual([true]);
});

test.each([
  ['its holder', 'late'],
  ['nobody', null],
  ['somebody whose record is found anew', 'early'],
] as const)(
  'a late answer, asked for while a domain was held by %s, takes it from nobody',
  async (_, holds) => {
    const [early, late] = [await perch.publish('<p>early'), await perch.publish('<p>late')];
    const domain = someDomain();
    const { record } = await claimed(perch, late, domain);
    if (holds !== null) await holdDomain(perch, names, holds === 'late' ? late : early, domain);
    const next = (await claimed(perch, early, domain)).record;
    names.setAddresses(domain, SERVICE_ADDRESS);

    names.setTexts(record.name, record.value);
    const held = names.holdNext(domain);
    const checking = setDomain(perch, late, domain);
    try {
      await eventually(() => held.isAsked());
      names.setTexts(record.name, next.value);
      expect((await claimed(perch, early, domain)).state).toBe('active');
    } finally {
      held.release();
    }
    await expectError(await checking, 409, 'DOMAIN_TAKEN');
    expect((await domainOf(perch, early)).state).toBe('active');
    expect(await domainOf(perch, late)).toMatchObject({ state: 'pending', finding: 'held' });
    const rows = await query((sql) => sql`select id from items where domain = ${domain}`);
    expect(rows.map((row) => row.id)).toEqual([early.id]);
  },
);

test('an answer that is late takes nothing back of what a later one has changed', async () => {
  const item = await perch.publish('<p>twice');
  const domain = someDomain();
  const record = await holdDomain(perch, names, item, domain);
  const held = names.holdNext(domain);
  const checking = setDomain(perch, item, domain);
  try {
    await eventually(() => held.isAsked());
    names.setTexts(record.name);
    expect((await claimed(perch, item, domain)).state).toBe('lost');
  } finally {
    held.release();
  }
  expect(await jsonOf(await checking)).toMatchObject({ state: 'lost', finding: 'none' });
  expect((await domainOf(perch, item)).state).toBe('lost');
});

test('of many who are verified at once one gets the domain', async () => {
  const domain = someDomain();
  const items = await atOnce(6, (n) => perch.publish(`<p>${n}`));
  const claims = await Promise.all(items.map((item) => claimed(perch, item, domain)));
  names.setTexts(`_perch-challenge.${domain}`, ...claims.map(({ record }) => record.value));
  const answers = await Promise.all(items.map((item) => setDomain(perch, item, domain)));
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: 5 });
  const rows = await query((sql) => sql`select id from items where domain = ${domain}`);
  const winner = items[answers.findIndex(({ status }) => status === 200)];
  expect(rows.map((row) => row.id)).toEqual([winner?.id ?? '']);
});

test('the same domain asked for at once by one item has one record', async () => {
  const item = await perch.publish('<p>once');
  const domain = someDomain();
  const answers = await atOnce(5, () => setDomain(perch, item, domain));
  const records = await Promise.all(
    answers.map(async (answer) => (await jsonOf<DomainAnswer>(answer)).record.value),
  );
  expect(new Set(records).size).toBe(1);
});

test('an owner has twenty domains at the most, also when asking for them at once', async () => {
  const token = `owner-${fresh('of-many-domains')}-${Date.now()}`;
  const items = await atOnce(23, (n) =>
    perch.publish(`<p>${n}`, { headers: { 'X-Group-Token': token, 'X-Owner-Token': token } }),
  );
  const answers = await Promise.all(
    items.map((item) => setDomain(perch, { ...item, ownerToken: token }, someDomain())),
  );
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 20, 409: 3 });
  const refused = answers.find(({ status }) => status === 409);
  if (refused !== undefined) await expectError(refused, 409, 'LIMIT_REACHED');
  // In place of another one.
  const first = items[answers.findIndex(({ status }) => status === 200)];
  if (first === undefined) throw new Error('none was given');
  expect((await claimed(perch, { ...first, ownerToken: token }, someDomain())).state).toBe('pending');
});

test('name servers are asked ten times an hour for an item', async () => {
  const item = await perch.publish('<p>eager');
  const domain = someDomain();
  const { record } = await claimed(perch, item, domain);
  const answers = await atOnce(12, () => setDomain(perch, item, domain));
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 10, 429: 2 });
  expect(names.asked(record.name)).toBe(10);
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get('Retry-After'))).toBeGreaterThan(0);
});

test('with its item a domain is free for others', async () => {
  const item = await perch.publish('<p>gone');
  const domain = someDomain();
  await holdDomain(perch, names, item, domain);
  expect((await perch.api(item, { method: 'DELETE', ...ownedBy(item) })).status).toBe(204);
  expect(await query((sql) => sql`select 1 from item_domains where domain = ${domain}`)).toHaveLength(0);
  await holdDomain(perch, names, await perch.publish('<p>next'), domain);
});
