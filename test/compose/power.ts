import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../../infra/until.ts';
import { describePolled, type Poller, startPoller } from './poller.ts';
import type { RunningProject } from './project.ts';

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

    /** Of an engine that is not ours the containers alone are killed. */
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
