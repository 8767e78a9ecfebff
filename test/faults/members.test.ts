import { expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { readShares } from '../../infra/cluster/status.ts';
import { ownEnvironment } from '../../infra/environment.ts';
import { allReads, auditTargets } from '../../infra/load/audit.ts';
import type { ServiceProcess } from '../../infra/service-process.ts';
import { startInstance } from '../instance.ts';
import { ADMIN, ADMIN_PASSWORD } from '../shared-instance.ts';
import { useRunning } from '../started.ts';
import { OWNER_TOKEN, send, statusOf } from './client.ts';
import { type MemberLoad, startMemberLoad } from './member-load.ts';
import { until } from './waiting.ts';

setDefaultTimeout(180_000);

/** Long enough for every connection of the load to be used once. */
const DRAIN_SECONDS = '1';
const BEHIND_GATEWAYS = ['contents', 'kvs', 'sites', 'analytics'] as const;

const perch = useRunning(() =>
  startInstance({
    mode: 'distributed',
    gateways: 2,
    contents: 2,
    kvs: 2,
    sites: 2,
    analytics: 2,
    env: { ADMIN_PASSWORD, DRAIN_SECONDS },
  }),
);

const nth = (services: ServiceProcess[], index: number): ServiceProcess => {
  const service = services[index];
  if (service === undefined) throw new Error(`there is no process ${index}`);
  return service;
};

async function more(load: MemberLoad, count: number): Promise<void> {
  const goal = load.sent() + count;
  await until(`${count} more requests`, async () => load.sent() >= goal);
}

async function leaveAndJoin(service: ServiceProcess, load: MemberLoad): Promise<void> {
  await service.stop();
  await more(load, 20);
  await service.start();
  await more(load, 20);
}

/** Clients hear of it from the gateway itself; that it is back they hear from outside. */
async function gatewayLeavesAndJoins(index: number, load: MemberLoad): Promise<void> {
  await leaveAndJoin(nth(perch.services.gateways, index), load);
  expect(load.connections.hasLeft(index)).toBe(true);
  load.connections.comeBack(index);
  await more(load, 50);
}

test.each([0, 1])(
  'under load the processes %i of every service leave and join: no request fails',
  async (index) => {
    const load = await startMemberLoad(perch.gateways, `members-${index}`, ADMIN_PASSWORD);
    await more(load, 50);
    await Promise.all(BEHIND_GATEWAYS.map((name) => leaveAndJoin(nth(perch.services[name], index), load)));
    await gatewayLeavesAndJoins(index, load);
    await load.stop();
    expect(load.faults).toEqual([]);
    expect(load.traffic.writes).toMatchObject({ refused: 0, unanswered: 0 });
    await auditTargets(load.traffic.written, {
      client: load.client,
      patienceMs: 0,
      reads: allReads(load.client),
      note: (kind, text) => void load.faults.push(`${kind}: ${text}`),
    });
    expect(load.faults).toEqual([]);
    load.connections.close();
  },
);

test('under load processes that find their port taken leave again: no request fails', async () => {
  const load = await startMemberLoad(perch.gateways, 'members-port', ADMIN_PASSWORD);
  await more(load, 20);
  const { port } = nth(perch.services.gateways, 0);
  const services = ['content', 'kv', 'site', 'analytics'];
  const codes = await Promise.all(
    services.map((service) => {
      const main = join(import.meta.dirname, '../../services', service, 'main.ts');
      const env = { ...ownEnvironment(), ...perch.env, PORT: String(port), HOST: '127.0.0.1' };
      return Bun.spawn([process.execPath, main], { env, stdout: 'ignore', stderr: 'ignore' }).exited;
    }),
  );
  expect(codes).toEqual(services.map(() => 1));
  await more(load, 20);
  await load.stop();
  load.connections.close();
  expect(load.faults).toEqual([]);
});

/** Each of these is answered by the service itself: nothing of it is cached. */
const ASKED = ['/api/gallery?size=1', '/api/kv', '/api/sites', '/api/admin/reports?limit=1'];

test('the processes of a service share its requests', async () => {
  const { gateways, contents, kvs, sites, analytics } = perch.services;
  const processes = { gateway: gateways, content: contents, kv: kvs, site: sites, analytics };
  const before = await readShares({ processes });
  const headers = { 'X-Owner-Token': OWNER_TOKEN, ...ADMIN };
  for (let round = 0; round < 10; round++) {
    const addresses = Array.from({ length: 8 }, (_, n) => perch.gateways[n % 2] ?? '').flatMap((gateway) =>
      ASKED.map((path) => `${gateway}${path}`),
    );
    const seen = await Promise.all(addresses.map((address) => send(address, { headers })));
    expect(seen.map(statusOf)).toEqual(seen.map(() => 200));
  }
  const shares = await readShares({ processes });
  const answered = shares.map(({ requests }, index) => requests - (before[index]?.requests ?? 0));
  for (const service of Object.keys(processes)) {
    const each = answered.filter((_, index) => shares[index]?.service === service);
    expect(each).toHaveLength(2);
    const [all, least] = [each.reduce((sum, count) => sum + count, 0), Math.min(...each)];
    expect(all).toBeGreaterThanOrEqual(80);
    expect({ service, least, all, isFair: least >= all / 5 }).toMatchObject({ isFair: true });
  }
  expect(shares.map(({ isReady }) => isReady)).toEqual(shares.map(() => true));
});
