import { ownEnvironment } from '../environment.ts';

/**
 * The health check of a container whose image has no curl: exits with 0 when the service in it answers `/readyz` with
 * 200, else with 1. The answer goes to standard output, which Docker keeps.
 */
const LIMIT_MS = 4_000;

try {
  const answer = await fetch(`http://127.0.0.1:${ownEnvironment().PORT ?? 8080}/readyz`, {
    signal: AbortSignal.timeout(LIMIT_MS),
    headers: { 'User-Agent': 'perch-check/1' },
  });
  process.stdout.write(`${answer.status} ${await answer.text()}\n`);
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  process.stdout.write(`${String(error)}\n`);
  process.exitCode = 1;
}
