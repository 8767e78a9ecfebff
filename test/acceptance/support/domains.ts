import { expect } from 'bun:test';
import { type Address, type Client, jsonOf, ownedBy, type Published, type RequestOptions } from './client.ts';
import type { NameServer } from './name-server.ts';

/** BASE_URL in these tests; its port is that of nobody, since requests go to the gateway's own address. */
export const SERVICE_HOST = 'perch.example.com';

/** The address that leads to the service. */
export const SERVICE_ADDRESS = '192.0.2.10';

/** Settings of a Perch that serves domains of its owners, and asks a name server of the test. */
export const domainSettings = (names: NameServer, more: Record<string, string> = {}) => {
  names.setAddresses(SERVICE_HOST, SERVICE_ADDRESS);
  return {
    BASE_URL: `https://${SERVICE_HOST}`,
    CUSTOM_DOMAINS: 'true',
    DNS_SERVERS: names.address,
    ...more,
  };
};

/** The answer about an item's domain. */
export interface DomainAnswer {
  domain: string;
  state: string;
  url: string;
  record: { type: string; name: string; value: string };
  target: string;
  finding: string | null;
  checkedAt: string | null;
  verifiedAt: string | null;
  lostAt: string | null;
  removedAt: string | null;
}

const domainPath = ({ namespace, id }: Address): string => `/api/${namespace}/${id}/domain`;

export const setDomain = (
  client: Client,
  item: Published,
  domain: unknown,
  options: RequestOptions = ownedBy(item),
): Promise<Response> => client.request(domainPath(item), { method: 'PUT', ...options, json: { domain } });

export const readDomain = (client: Client, item: Published): Promise<Response> =>
  client.request(domainPath(item), ownedBy(item));

export const removeDomain = (client: Client, item: Published): Promise<Response> =>
  client.request(domainPath(item), { method: 'DELETE', ...ownedBy(item) });

/** Sets the domain of an item, again where the answer of the name server came too late. */
export async function claimed(client: Client, item: Published, domain: string): Promise<DomainAnswer> {
  const set = async () => await jsonOf<DomainAnswer>(await setDomain(client, item, domain));
  let answer = await set();
  for (let again = 0; again < 2 && answer.finding === 'failure'; again++) answer = await set();
  return answer;
}

export const domainOf = async (client: Client, item: Published): Promise<DomainAnswer> =>
  await jsonOf<DomainAnswer>(await readDomain(client, item));

/** Makes an item hold a domain that leads to the service. */
export async function holdDomain(client: Client, names: NameServer, item: Published, domain: string) {
  const { record } = await claimed(client, item, domain);
  names.setTexts(record.name, record.value);
  names.setAddresses(domain, SERVICE_ADDRESS);
  const checked = await claimed(client, item, domain);
  expect(checked.state).toBe('active');
  return record;
}
