import { afterAll, expect, test } from 'bun:test';
import { createNameServers } from '../../services/content/domains/name-servers.ts';
import { startNameServer } from '../acceptance/support/name-server.ts';

const names = await startNameServer();
afterAll(() => names.stop());

const TARGET = 'perch.example.net';
const { leadsHere } = createNameServers([names.address], TARGET);
names.setAddresses(TARGET, '192.0.2.1', '192.0.2.2');

test('a domain leads here when it has an address of this service, and elsewhere when it has others or none', async () => {
  names.setAddresses('here.example.org', '198.51.100.7', '192.0.2.2');
  names.setAddresses('elsewhere.example.org', '198.51.100.7');
  const domains = ['here.example.org', 'elsewhere.example.org', 'nowhere.example.org'];
  expect(await Promise.all(domains.map(leadsHere))).toEqual([true, false, false]);
});

test('nobody can tell that a domain leads elsewhere while a question about its addresses fails', async () => {
  names.setAddresses('half.example.org', '192.0.2.1');
  names.failFor('AAAA', 'half.example.org');
  expect(await leadsHere('half.example.org')).toBe(true);
  names.failFor('A', 'half.example.org');
  expect(await leadsHere('half.example.org')).toBeNull();
  names.setAddresses('other.example.org', '198.51.100.7');
  expect(await leadsHere('other.example.org')).toBe(false);
  names.failFor('AAAA', TARGET);
  expect(await leadsHere('other.example.org')).toBeNull();
});
