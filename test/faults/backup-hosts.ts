import postgres from 'postgres';
import { until } from '../../infra/until.ts';
import { type Client, jsonOf, ownedBy, type Published, shortPath } from '../acceptance/support/client.ts';
import {
  claimed,
  type DomainAnswer,
  domainOf,
  holdDomain,
  setDomain,
} from '../acceptance/support/domains.ts';
import { AT_HOST, hostNamed } from '../acceptance/support/item-hosts.ts';
import type { NameServer } from '../acceptance/support/name-server.ts';
import { publishSite } from '../acceptance/support/site-client.ts';
import type { Stores } from '../running-perch.ts';

type Hosted = Published & { hostUrl: string };

/** Items with hosts of their own, of each state that these can be in. */
export interface Hosts {
  /** Served at a domain of its owner's, whose record is there. */
  held: { item: Published; domain: DomainAnswer };
  /** Served at its domain, though the record has gone. */
  lost: { item: Published; domain: DomainAnswer };
  /** Whose record has not been set yet. */
  pending: { item: Published; domain: DomainAnswer };
  labelled: Hosted;
  /** Served at its path again. */
  moved: Hosted;
  /** No longer there. */
  retired: Hosted;
}

const AT_OWN_HOST = { headers: { 'X-Delivery-Mode': 'subdomain' } };

const publishHosted = async (client: Client, content: string): Promise<Hosted> =>
  (await client.publish(content, AT_OWN_HOST)) as Hosted;

/** @param name a part of the domains' names, which no other instance has on these name servers */
export async function fillHosts(client: Client, names: NameServer, name: string): Promise<Hosts> {
  const site = await publishSite(client, { 'index.html': '<p>held', 'a.css': 'p {}' }, AT_OWN_HOST);
  await holdDomain(client, names, site, `www.${name}.example.org`);
  const lost = await client.publish('<p>lost');
  const record = await holdDomain(client, names, lost, `lost.${name}.example.org`);
  names.setTexts(record.name);
  const lostDomain = await claimed(client, lost, `lost.${name}.example.org`);
  const pending = await client.publish('<p>pending');
  const pendingDomain = await claimed(client, pending, `pending.${name}.example.org`);
  const moved = await publishHosted(client, '<p>moved');
  const change = { deliveryMode: 'path', expectedVersion: 1 };
  await jsonOf(
    await client.request(`/api/html${shortPath(moved)}/hosting`, {
      method: 'PATCH',
      ...ownedBy(moved),
      json: change,
    }),
  );
  const retired = await publishHosted(client, '<p>retired');
  await client.api(retired, { method: 'DELETE', ...ownedBy(retired) });
  return {
    held: { item: site, domain: await domainOf(client, site) },
    lost: { item: lost, domain: lostDomain },
    pending: { item: pending, domain: pendingDomain },
    labelled: await publishHosted(client, '<p>labelled'),
    moved,
    retired,
  };
}

/** Finds hosts that are not as they were, and domains that cannot go on as before. */
export async function findHostFaults(client: Client, names: NameServer, hosts: Hosts): Promise<string[]> {
  const { held, lost, pending, labelled, moved, retired } = hosts;
  const [anew, other] = [
    (await client.publish('<p>anew', { ...AT_OWN_HOST, query: { id: retired.id } })) as Hosted,
    await client.publish('<p>other'),
  ];
  const readAt = async (host: string, path = '/'): Promise<string> => {
    const answer = await hostNamed(client, host).get(path, { headers: AT_HOST });
    const line = (await answer.text()).split('\n').at(-1) ?? '';
    const target = answer.headers.get('Location');
    return `${answer.status} ${answer.status === 200 ? line : (target ?? '')}`.trim();
  };
  const knows = async (domain: string): Promise<number> =>
    (await client.request('/metrics/known-host', { query: { domain } })).status;
  const checked = async (item: Published, domain: string): Promise<string> => {
    const answer = await setDomain(client, item, domain);
    const text = await answer.text();
    return answer.status === 200 ? (JSON.parse(text) as DomainAnswer).state : String(answer.status);
  };
  const domain = held.domain.domain;
  const own = (item: Hosted): string => new URL(item.hostUrl).host;
  const found: Array<[what: string, is: unknown, expected: unknown]> = [
    ['the domain', await readAt(domain), '200 <p>held'],
    ['a file at the domain', await readAt(domain, '/a.css'), '200 p {}'],
    ['its certificate', await knows(domain), 200],
    ['its claim', await domainOf(client, held.item), held.domain],
    ['the lost domain', await readAt(lost.domain.domain), '200 <p>lost'],
    ['the certificate of the lost one', await knows(lost.domain.domain), 404],
    ['the lost claim', await domainOf(client, lost.item), lost.domain],
    ['the certificate of the pending one', await knows(pending.domain.domain), 404],
    ['the pending claim', await domainOf(client, pending.item), pending.domain],
    ['the label', await readAt(own(labelled)), '200 <p>labelled'],
    ['the certificate of the label', await knows(own(labelled)), 200],
    ['the path of the label', (await client.read(labelled)).headers.get('Location'), labelled.hostUrl],
    ['the label of the moved one', await readAt(own(moved)), `302 ${moved.url}`],
    ['the path of the moved one', (await client.read(moved)).status, 200],
    ['the retired label', await readAt(own(retired)), '410'],
    ['the certificate of the retired label', await knows(own(retired)), 404],
    ['the label of the next at its address', own(anew) === own(retired), false],
    ['the next at its address', await readAt(own(anew)), '200 <p>anew'],
  ];
  // Owners go on where they were: with the records of then, or those of whoever has the domain next.
  for (const { domain: claim } of [lost, pending]) names.setTexts(claim.record.name, claim.record.value);
  const theirs = await claimed(client, other, domain);
  names.setTexts(held.domain.record.name, held.domain.record.value, theirs.record.value);
  found.push(
    ['the lost claim with its record', await checked(lost.item, lost.domain.domain), 'active'],
    ['the pending claim with its record', await checked(pending.item, pending.domain.domain), 'verified'],
    ['another claim beside the holder’s record', await checked(other, domain), '409'],
  );
  names.setTexts(held.domain.record.name, theirs.record.value);
  found.push(
    ['another claim with the only record', await checked(other, domain), 'active'],
    ['the domain in other hands', await readAt(domain), '200 <p>other'],
    ['the claim of before', (await domainOf(client, held.item)).state, 'pending'],
  );
  // A gateway takes a name that nobody held for one for some seconds.
  await until('the domain that was pending is served', async () =>
    (await readAt(pending.domain.domain)).endsWith('<p>pending'),
  );
  return found
    .filter(([, is, expected]) => !Bun.deepEquals(is, expected))
    .map(([what, is]) => `${what}: ${JSON.stringify(is)}`);
}

/** The claims in the database of a Perch that does not run; `null` where the database does not run either. */
export async function readClaims({ env }: Stores): Promise<unknown> {
  if (env.PG_URL === undefined) return null;
  const sql = postgres(env.PG_URL, { max: 1, onnotice: () => undefined });
  try {
    return [...(await sql`select * from item_domains order by code`)];
  } finally {
    await sql.end({ timeout: 1 });
  }
}
