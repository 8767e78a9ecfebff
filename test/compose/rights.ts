import { beforeAll, describe, expect, test } from 'bun:test';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Container, containersOf, isRunning, type RunningProject, serviceOf } from './project.ts';

/** Checks the rights of containers and accounts, as the kernel and the servers report them. */
export function checkRights(project: () => RunningProject): void {
  describe('rights', () => {
    let perch: RunningProject;
    let containers: Container[];

    beforeAll(async () => {
      perch = project();
      containers = await containersOf(perch);
    });

    /** Users, as the images have them. */
    const USERS: Record<string, number> = {
      gateway: 65_532,
      content: 65_532,
      kv: 65_532,
      site: 65_532,
      analytics: 65_532,
      postgres: 999,
      redis: 999,
      prometheus: 65_534,
      grafana: 472,
      nats: 0,
      minio: 0,
      proxy: 0,
    };
    /** Binding low ports (capabilities(7), CAP_NET_BIND_SERVICE). */
    const LOW_PORTS = 1n << 10n;

    const running = (): Container[] => containers.filter(isRunning);

    test('every service runs, and the jobs have done their work', () => {
      expect(running().map(serviceOf).toSorted()).toEqual(Object.keys(USERS).toSorted());
      const jobs = containers.filter((one) => !isRunning(one));
      expect(jobs.map((job) => [serviceOf(job), job.State.ExitCode]).toSorted()).toEqual([
        ['bucket', 0],
        ['grafana-role', 0],
        ['service-role', 0],
      ]);
    });

    test('each process has the user of its image, no capability, and can gain none', async () => {
      for (const container of running()) {
        const name = serviceOf(container);
        const status = await perch.engine.readProcessFile(container.State.Pid, 'status');
        const field = (key: string): string => new RegExp(`^${key}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '';
        expect([name, Number(field('Uid'))]).toEqual([name, USERS[name] ?? -1]);
        const most = name === 'proxy' ? LOW_PORTS : 0n;
        for (const set of ['CapPrm', 'CapEff', 'CapBnd', 'CapInh', 'CapAmb'])
          expect([name, set, BigInt(`0x${field(set)}`) & ~most]).toEqual([name, set, 0n]);
        expect([name, field('NoNewPrivs')]).toEqual([name, '1']);
      }
    });

    test('each root is read-only', async () => {
      for (const container of running()) {
        const mounts = await perch.engine.readProcessFile(container.State.Pid, 'mountinfo');
        const root = mounts.split('\n').find((line) => line.split(' ')[4] === '/');
        expect([serviceOf(container), root?.split(' ')[5]?.split(',')[0]]).toEqual([
          serviceOf(container),
          'ro',
        ]);
      }
    });

    /** Where a process listens beyond its own loopback interface, from /proc/<pid>/net (proc_pid_net(5)). */
    async function listening({ State }: Container): Promise<number[]> {
      const LISTEN = '0A';
      const ports = new Set<number>();
      for (const file of ['net/tcp', 'net/tcp6']) {
        const table = await perch.engine.readProcessFile(State.Pid, file);
        for (const line of table.trim().split('\n').slice(1)) {
          const [, local = '', , state] = line.trim().split(/\s+/);
          const [address = '', port = ''] = local.split(':');
          const isLoopback = /^(?:[0-9A-F]{6}7F|0{24}01000000)$/.test(address);
          if (state === LISTEN && !isLoopback) ports.add(Number.parseInt(port, 16));
        }
      }
      return [...ports].toSorted((a, b) => a - b);
    }

    test('nothing listens but what is meant to', async () => {
      const found: Record<string, number[]> = {};
      for (const container of running()) found[serviceOf(container)] = await listening(container);
      expect(found).toEqual({
        gateway: [8080],
        content: [8080],
        kv: [8080],
        site: [8080],
        analytics: [8080],
        postgres: [5432],
        redis: [6379],
        nats: [4222, 8222],
        minio: [9000],
        prometheus: [9090],
        grafana: [3000],
        proxy: [80],
      });
    });

    test('the proxy reaches gateways and no server, and servers do not get outside', async () => {
      const reaches = (service: string, url: string): Promise<boolean> =>
        perch.compose('exec', '-T', service, 'wget', '-q', '-T', '3', '-O', '/dev/null', url).then(
          () => true,
          () => false,
        );
      expect(await reaches('proxy', 'http://gateway:8080/healthz')).toBe(true);
      for (const server of ['minio:9000/minio/health/live', 'nats:8222/healthz', 'content:8080/healthz'])
        expect([server, await reaches('proxy', `http://${server}`)]).toEqual([server, false]);
      expect(await reaches('nats', 'http://minio:9000/minio/health/live')).toBe(true);
      expect(await reaches('nats', 'http://192.0.2.1/')).toBe(false);
    });

    test('no container keeps a volume without a name but gateways', () => {
      const nameless = containers.flatMap((container) =>
        container.Mounts.filter(
          ({ Type, Name = '' }) => Type === 'volume' && !Name.startsWith(perch.name),
        ).map(({ Destination }) => [serviceOf(container), Destination]),
      );
      expect(nameless).toEqual([['gateway', '/uploads']]);
    });

    test('no secret is to be seen from outside of a container', async () => {
      const folder = join(perch.folder, 'secrets');
      const names = await readdir(folder);
      const secrets = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      expect(secrets.length).toBeGreaterThan(15);
      const seen = JSON.stringify(containers);
      for (const [index, secret] of secrets.entries())
        expect([names[index], seen.includes(secret.trim())]).toEqual([names[index], false]);
      for (const container of running()) {
        const line = await perch.engine.readProcessFile(container.State.Pid, 'cmdline');
        for (const secret of secrets) expect(line).not.toContain(secret.trim());
      }
    });

    test('PostgreSQL lets services in as a role that owns their tables and is no superuser', async () => {
      const ask = async (sql: string): Promise<string> =>
        (await perch.compose('exec', '-T', 'postgres', 'psql', '-U', 'perch', '-tAc', sql)).output.trim();
      expect(
        await ask("select distinct usename from pg_stat_activity where application_name = 'perch'"),
      ).toBe('perch_service');
      expect(
        await ask(
          "select rolsuper or rolcreaterole or rolcreatedb from pg_roles where rolname = 'perch_service'",
        ),
      ).toBe('f');
      expect(await ask("select distinct tableowner from pg_tables where schemaname = 'public'")).toBe(
        'perch_service',
      );
    });

    test('Redis lets nobody in without its password', async () => {
      const { output } = await perch.compose('exec', '-T', 'redis', 'redis-cli', 'dbsize');
      expect(output).toContain('NOAUTH');
    });

    test('NATS knows each service by a user of its own', async () => {
      const url = 'http://127.0.0.1:8222/connz?auth=true';
      const { output } = await perch.compose('exec', '-T', 'nats', 'wget', '-q', '-O', '-', url);
      const { connections } = JSON.parse(output) as {
        connections: Array<{ name: string; authorized_user: string }>;
      };
      for (const { name, authorized_user } of connections)
        expect([name, authorized_user]).toEqual([name, name.replace(' events', '')]);
      expect([...new Set(connections.map((one) => one.authorized_user))].toSorted()).toEqual([
        ...['analytics', 'content', 'gateway', 'kv', 'site'],
      ]);
    });

    test('the services’ key for S3 is good for their bucket, and for nothing else', async () => {
      const probe = join(perch.folder, 'probe-bucket.ts');
      await writeFile(probe, await readFile(join(import.meta.dirname, 'probe-bucket.ts')));
      const place = '/perch/infra/compose/probe-bucket.ts';
      const run = ['run', '--rm', '-T', '--no-deps', '--volume', `${probe}:${place}:ro`, 'bucket'];
      const { output } = await perch.compose(...run, 'infra/compose/probe-bucket.ts');
      expect(JSON.parse(output)).toEqual({
        bucket: 'done',
        put: 'done',
        get: 'done',
        list: 'done',
        remove: 'done',
        makeBucket: 'AccessDenied',
        removeBucket: 'AccessDenied',
        policy: 'AccessDenied',
        admin: 'AccessDenied',
      });
    });
  });
}
