import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../../infra/until.ts';
import { describePolled, isSuccess, type Poller, startPoller } from './poller.ts';
import { addressOf, containersOf, isRunning, type RunningProject, serviceOf } from './project.ts';

/** Changes that an operator makes to the running project, under a light load that must hardly notice. */
export function checkChanges(project: () => RunningProject): void {
  describe('changes', () => {
    let perch: RunningProject;
    let poller: Poller;

    const OURS = ['gateway', 'content', 'kv', 'site', 'analytics'];
    const SERVERS = ['redis', 'nats', 'postgres', 'minio'];
    /** Longest until all goes again; only what never comes back reaches it. */
    const RECOVERY_LIMIT_MS = 120_000;
    const STEP_LIMIT_MS = 600_000;
    /** Addresses that are left free for the server itself, and for jobs that have ended. */
    const FREE_ADDRESSES = 4;

    beforeAll(async () => {
      perch = project();
      poller = await startPoller(() => perch.url);
    });

    afterAll(async () => {
      await poller?.stop();
    });

    /** Does something to the project; then everything has to go again, and nothing may have been lost. */
    async function under(what: string, change: () => Promise<unknown>): Promise<Record<string, number>> {
      poller.take();
      await change();
      const began = performance.now();
      await poller.untilAllSucceed(RECOVERY_LIMIT_MS);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const polled = poller.take();
      process.stdout.write(`${what}: ${describePolled(polled)}; all goes again ${seconds} s later\n`);
      expect(polled.wrong).toEqual([]);
      expect(await poller.findLost()).toEqual([]);
      return polled.counts;
    }

    const without = (counts: Record<string, number>, pattern: RegExp): string[] =>
      Object.keys(counts).filter((name) => pattern.test(name) && !isSuccess(name));

    test(
      'two of each service come beside the first, and nobody notices',
      async () => {
        const scale = OURS.flatMap((service) => ['--scale', `${service}=2`]);
        const counts = await under('scaled to two', () =>
          perch.compose('up', '-d', '--wait', '--no-recreate', ...scale),
        );
        expect(without(counts, /./)).toEqual([]);
        const running = (await containersOf(perch)).filter(isRunning).map(serviceOf);
        for (const service of OURS)
          expect([service, running.filter((name) => name === service).length]).toEqual([service, 2]);
      },
      STEP_LIMIT_MS,
    );

    test.each(OURS)(
      'of two processes of %s one after the other is restarted, and no read notices',
      async (service) => {
        const own = (await containersOf(perch)).filter((one) => serviceOf(one) === service && isRunning(one));
        expect(own).toHaveLength(2);
        for (const { Name } of own) {
          const counts = await under(`restart of ${Name.slice(1)}`, async () => {
            await perch.engine.docker(['restart', Name]);
            await perch.compose(
              'up',
              '-d',
              '--wait',
              '--no-recreate',
              ...OURS.flatMap((name) => ['--scale', `${name}=2`]),
            );
          });
          expect(without(counts, /^read/)).toEqual([]);
        }
      },
      STEP_LIMIT_MS,
    );

    test.each([...SERVERS, 'proxy', 'prometheus'])(
      '%s is restarted, and all goes again',
      async (service) => {
        await under(`restart of ${service}`, () => perch.compose('restart', service));
      },
      STEP_LIMIT_MS,
    );

    test.each(SERVERS)(
      '%s comes back under another address, and is found',
      async (service) => {
        const before = await addressOf(perch, service);
        const placeholders: string[] = [];
        try {
          await under(`${service} under another address`, async () => {
            await perch.compose('rm', '--stop', '--force', service);
            // Docker gives out addresses that have become free: these take them.
            const network = ['--network', `${perch.name}_back`, '--entrypoint', 'sleep'];
            for (let n = 0; n < FREE_ADDRESSES; n++) {
              const { output } = await perch.engine.docker([
                'run',
                '-d',
                ...network,
                'redis:8-alpine',
                '600',
              ]);
              placeholders.push(output.trim());
            }
            await perch.compose('up', '-d', '--wait', '--no-deps', service);
          });
          expect(await addressOf(perch, service)).not.toBe(before);
        } finally {
          await perch.engine.docker(['rm', '--force', '--volumes', ...placeholders]);
        }
      },
      STEP_LIMIT_MS,
    );
  });
}

/** Everything ends at once in the middle of writes, twice, and comes back with all that was acknowledged. */
export function checkPower(project: () => RunningProject): void {
  describe('power', () => {
    let perch: RunningProject;
    let poller: Poller;

    const BACK_LIMIT_MS = 300_000;

    beforeAll(async () => {
      perch = project();
      poller = await startPoller(() => perch.url);
    });

    afterAll(async () => {
      await poller?.stop();
    });

    /** Only the containers of an engine that is not ours are killed. */
    async function cut(): Promise<string> {
      if (perch.engine.cutPower !== null) {
        await perch.engine.cutPower();
        return 'the engine and all in it was killed';
      }
      await perch.compose('kill');
      await perch.compose('up', '-d');
      return 'all containers were killed: the engine is not ours to kill';
    }

    const answers = (): Promise<boolean> =>
      fetch(`${perch.url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );

    test.each([1, 2])(
      'a cut of the power loses nothing that was acknowledged (%d)',
      async () => {
        await poller.untilAllSucceed(60_000);
        poller.take();
        const what = await cut();
        const began = performance.now();
        await until('the proxy leads to a gateway', answers, BACK_LIMIT_MS);
        await poller.untilAllSucceed(BACK_LIMIT_MS);
        const polled = poller.take();
        const seconds = ((performance.now() - began) / 1000).toFixed(1);
        process.stdout.write(`${what}: ${describePolled(polled)}; all goes again ${seconds} s later\n`);
        expect(polled.wrong).toEqual([]);
        expect(await poller.findLost()).toEqual([]);
      },
      2 * BACK_LIMIT_MS,
    );
  });
}
