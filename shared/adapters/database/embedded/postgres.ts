import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../../backoff.ts';
import type { Logger } from '../../../logger.ts';
import { lockFolder } from '../../data-dir/folder-lock.ts';
import { databaseAccount } from './account.ts';
import { findBinaries } from './binaries.ts';
import { ensureCluster } from './cluster.ts';
import { databaseHome } from './home.ts';
import { findPostmaster, runsCluster, stopPostmaster } from './process.ts';
import { bringUp, type RunningServer, type ServerSettings, serverUrl } from './server.ts';

export interface EmbeddedPostgres {
  /** Connection address with the password in it: never log it. Constant while this process runs. */
  url: string;
  /** Shuts the server down and waits until it is gone. Open transactions are rolled back. */
  stop(): Promise<void>;
}

/** How often the server is looked at, in ms. */
const WATCH_MS = 250;
/** Before a server that keeps dying is started again. We never give up: a full disk has room again some day. */
const BACKOFF = { firstMs: 200, lastMs: 10_000 };
/** A server that ran this long counts as healthy again, in ms. */
const HEALTHY_MS = 60_000;
const START_ATTEMPTS = 5;

/**
 * A PostgreSQL server of our own for this data folder, as a child process on a free loopback port. The server survives a
 * killed Perch; the next start takes it over. When it dies it is started again on the same port, so clients see failed
 * statements and then reconnect.
 *
 * @throws Error that says what to do, when the folder is in use or cannot hold a database, or the server will not start
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: Logger;
}): Promise<EmbeddedPostgres> {
  const { log } = options;
  const account = await databaseAccount(log);
  const binaries = await findBinaries(account, log);
  await mkdir(options.dataDir, { recursive: true });
  const dataDir = await realpath(options.dataDir);
  const home = await databaseHome(dataDir, account, log);
  const lock = lockFolder(home);
  try {
    const passwordFile = join(dataDir, 'postgres', 'password');
    const made = await ensureCluster({ home, passwordFile, account, binaries, log });
    const settings: ServerSettings = { home, account, binaries, log, ...made };
    const server = await firstStart(settings);
    log.info(
      { serverPid: server.pid, port: server.port, adopted: server.adopted },
      'the database server runs',
    );
    const stopWatching = watch(settings, server);
    let stopped: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      const pid = await stopWatching();
      await stopPostmaster(pid, settings.cluster);
      // A restart that failed half-way may have left one that was never counted as running.
      const other = await findPostmaster(settings.cluster);
      if (other !== null) await stopPostmaster(other.pid, settings.cluster);
      lock.release();
    };
    return {
      url: serverUrl(settings.password, server.port),
      stop: () => {
        stopped ??= stop();
        return stopped;
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Tries again: the free port may be taken meanwhile, and the processes of a killed server need a moment to end. */
async function firstStart(settings: ServerSettings): Promise<RunningServer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await bringUp(settings);
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error;
      settings.log.warn({ error, attempt }, 'the database server did not start; trying again');
      await sleep(backoffMs(attempt, BACKOFF));
    }
  }
}

/** Starts the server again whenever it is gone. Returns what ends that and tells the last server's process number. */
function watch(settings: ServerSettings, first: RunningServer): () => Promise<number> {
  const { cluster, log } = settings;
  const stopping = new AbortController();
  const { signal } = stopping;
  let pid = first.pid;
  const pause = async (ms: number): Promise<void> => {
    await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
  };
  const loop = async (): Promise<void> => {
    let upSince = Date.now();
    let failures = 0;
    while (!signal.aborted) {
      await pause(WATCH_MS);
      try {
        if (signal.aborted || (await runsCluster(pid, cluster))) continue;
        if (Date.now() - upSince > HEALTHY_MS) failures = 0;
        log.error({ serverPid: pid, failures }, 'the database server is gone; starting it again');
        if (failures > 0) await pause(backoffMs(failures, BACKOFF));
        failures += 1;
        if (signal.aborted) continue;
        ({ pid } = await bringUp(settings, first.port));
        upSince = Date.now();
        log.info({ serverPid: pid, port: first.port }, 'the database server runs again');
      } catch (error) {
        log.error({ error }, 'the database server could not be started again');
      }
    }
  };
  const watching = loop();
  return async () => {
    stopping.abort();
    await watching;
    return pid;
  };
}
