import { compareLoads, ROUNDS } from './load-rounds.ts';
import { atLeast, atMost, type Bench, count, type Findings, ratio } from './measurement.ts';
import { startNginx } from './nginx.ts';
import { ask, startPerch } from './perch.ts';

const CONNECTIONS = 64;
const FILE_BYTES = 1_048_576;

/** GET of one file of 1 MB from one gateway process, against the same bytes from nginx with one worker. */
export async function fileRead(bench: Bench): Promise<Findings> {
  const bytes = Buffer.from('0123456789abcde\n'.repeat(FILE_BYTES / 16));
  const nginx = await startNginx(`${bench.dir}/nginx`, { 'file.txt': bytes });
  bench.defer(nginx.stop);
  const perch = await startPerch(bench);
  const form = new FormData();
  form.set('file', new File([bytes], 'file.txt'));
  const { url = '' } = await ask(`${perch.url}/api/files`, { method: 'POST', body: form });

  const { table, perSecond, failed } = await compareLoads(bench, {
    own: { name: 'Perch', url },
    reference: { name: 'nginx', url: `${nginx.loggingUrl}/file.txt` },
    bytes,
    connections: CONNECTIONS,
  });
  return {
    table,
    notes: [
      `${CONNECTIONS} connections kept alive, wrk with one thread, a file of 1 MB: requests/s are MB/s; medians of ${ROUNDS} alternating rounds of ${bench.seconds} s after a warm-up, ratios those of one round.`,
      'Perch: the short URL of a file, from the memory of one gateway process, the counter and the limit in Redis.',
      'nginx: one worker, sendfile, keep-alive, an access log.',
    ],
    verdicts: [
      atLeast("MB per second, to nginx's", perSecond, 0.7, ratio),
      atMost('answers of Perch other than 2xx, and socket errors', failed, 0, count),
    ],
  };
}
