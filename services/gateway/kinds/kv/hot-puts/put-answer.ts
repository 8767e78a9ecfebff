import { newRequestId } from '../../../../../shared/ids.ts';
import { refererOf, toDurationMs } from '../../../access-log/logged-request.ts';
import type { HotDependencies } from '../../../hot-reads/hot-reads.ts';
import { maskPath } from '../../../http/query-masking.ts';
import { etagOfEntry, writtenEntry } from '../serializer.ts';
import type { Outcome, Put, Write } from './put.ts';

type Done = Extract<Outcome, { entry: unknown }>;

/** Makes the function that answers a put that is done, and logs it. */
export function createPutAnswer({
  accessEvents,
  limits,
  metrics,
}: Pick<HotDependencies, 'accessEvents' | 'limits' | 'metrics'>): (
  put: Put,
  write: Write,
  outcome: Done,
) => Response {
  const limit = limits.limitOf('changes');

  return (put, write, outcome) => {
    const { prepared, window, request, fastPath, clientIp, userAgent, path, item } = put;
    const { headers } = prepared;
    const requestId = newRequestId();
    headers.set('ETag', etagOfEntry(outcome.entry));
    headers.set('X-Request-Id', requestId);
    prepared.setRateHeaders(limit, window);
    const written = writtenEntry(write, { ...outcome, created: false }, prepared.baseUrl);
    const response = new Response(JSON.stringify(written), { headers });
    const seconds = (performance.now() - fastPath.startedAt) / 1000;
    metrics.observeDuration('api', seconds);
    accessEvents.record({
      at: fastPath.arrivedAt,
      requestId,
      durationMs: toDurationMs(seconds),
      attributes: {
        clientIp,
        userAgent,
        method: 'PUT',
        path: maskPath(path),
        query: '',
        status: 200,
        referer: refererOf(request.headers),
        resourceType: 'kv',
        resourceNamespace: item.namespace,
        resourceId: item.id,
      },
    });
    return response;
  };
}
