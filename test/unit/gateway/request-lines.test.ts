import { expect, test } from 'bun:test';
import pino from 'pino';
import { createRequestLines } from '../../../services/gateway/access-log/request-log.ts';
import type { AccessEvent } from '../../../shared/contracts/access-log.ts';
import { gatherLines } from '../../../shared/logger.ts';
import { toLoggedRequest } from '../../access-events.ts';

const EVENT: AccessEvent = {
  at: 1,
  requestId: 'V1StGXR8_Z5jdHi6',
  clientIp: '192.0.2.7',
  userAgent: null,
  method: 'GET',
  path: '/public/page',
  query: '',
  status: 200,
  durationMs: 1.25,
  referer: null,
  resourceType: null,
  resourceNamespace: null,
  resourceId: null,
};

const VARIOUS: AccessEvent[] = [
  EVENT,
  { ...EVENT, path: '/"quoted"\\ \n\u2028 Grüße \ud800', query: 'a="b"&c=\\', status: 404 },
  { ...EVENT, path: '/"quoted"\\ \n\u2028 Grüße \ud800', method: 'DELETE', clientIp: '2001:db8::7' },
  { ...EVENT, requests: 12, durationMs: 0, clientIp: '*' },
];

/** Each line by itself, as it is written. */
function gathered() {
  const lines: string[] = [];
  const write = (block: Uint8Array) => void lines.push(new TextDecoder().decode(block));
  return { lines, destination: gatherLines({ write }, { blockBytes: 1, everyMs: 60_000 }) };
}

test.each([
  ['with a service and a process', { base: { service: 'gateway', pid: 7 } }],
  ['of nobody', { base: null }],
])("lines of a logger %s are those that pino's own way makes", (_, options) => {
  const { lines, destination } = gathered();
  const timestamp = pino.stdTimeFunctions.isoTime;
  const log = pino({ timestamp, ...options }, destination);
  const { write } = createRequestLines(log);
  for (const event of VARIOUS) {
    write(toLoggedRequest(event));
    const { requestId, clientIp, method, path, status, durationMs, requests } = event;
    const query = event.query === '' ? undefined : event.query;
    log.info({ requestId, http: { clientIp, method, path, query, status, durationMs, requests } });
  }
  const timeless = lines.map((line) => line.replace(/"time":"\d{4}-[^"]{18}Z"/, '"time":"now"'));
  expect(lines).toHaveLength(2 * VARIOUS.length);
  for (let n = 0; n < lines.length; n += 2) expect(timeless[n]).toBe(timeless[n + 1] ?? '');
  expect(timeless[0]).toContain('"time":"now"');
});

test('a line has the time of the answer, whenever it is written', () => {
  const { lines, destination } = gathered();
  const { write } = createRequestLines(pino({}, destination));
  const at = Date.UTC(2026, 10, 21, 12);
  for (const durationMs of [0, 1.4, 1.6, 250]) write(toLoggedRequest({ ...EVENT, at, durationMs }));
  const times = lines.map((line) => (JSON.parse(line) as { time: string }).time.slice(-7));
  expect(times).toEqual(['00.000Z', '00.001Z', '00.002Z', '00.250Z']);
});

test('nothing is written where lines of requests are not wanted', () => {
  const { lines, destination } = gathered();
  createRequestLines(pino({ level: 'warn' }, destination)).write(toLoggedRequest(EVENT));
  expect(lines).toEqual([]);
});
