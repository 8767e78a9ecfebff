import { nanoid } from 'nanoid';
import manifest from '../../package.json' with { type: 'json' };
import type { Clock } from '../clock.ts';
import type { ProcessReport } from '../contracts/server-state.ts';
import { within } from '../deadline.ts';
import type { Logger } from '../logger.ts';

/** Longest a report may hold up the end of a process, in ms. */
const LEAVE_LIMIT_MS = 1_000;

/** Time between two reports, in ms. */
export const BEAT_MS = 10_000;

export interface Heartbeat {
  /** Reports that the process leaves. Never rejects. */
  stop(): Promise<void>;
}

interface HeartbeatOptions {
  service: string;
  clock: Clock;
  log: Logger;
  send(report: ProcessReport): Promise<unknown>;
  leave(report: ProcessReport): Promise<unknown>;
}

/** Tells every ten seconds that a process is there, for the operator's console. A report that fails is not repeated. */
export function startHeartbeat({ service, clock, log, send, leave }: HeartbeatOptions): Heartbeat {
  const processId = nanoid(12);
  const startedAt = clock.now();
  const report = (): ProcessReport => ({
    processId,
    service,
    version: manifest.version,
    startedAt,
    memoryBytes: process.memoryUsage.rss(),
  });
  let sending: Promise<void> | null = null;
  const tell = async (how: HeartbeatOptions['send']): Promise<void> => {
    try {
      await how(report());
    } catch (error) {
      log.debug({ error }, 'the console does not hear of this process');
    }
  };
  const beat = (): void => {
    sending ??= tell(send).finally(() => {
      sending = null;
    });
  };
  beat();
  const timer = setInterval(beat, BEAT_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      const told = (sending ?? Promise.resolve()).then(() => tell(leave));
      await within(told, LEAVE_LIMIT_MS, () => new Error('no answer')).catch(() => undefined);
    },
  };
}
