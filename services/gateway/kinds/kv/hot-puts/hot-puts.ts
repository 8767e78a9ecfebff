import type { Server } from 'bun';
import { createBatcher } from '../../../../../shared/batcher.ts';
import { call, errorOf } from '../../../../../shared/contracts/call.ts';
import { MAX_REPLACED, replaceEntries } from '../../../../../shared/contracts/kv.ts';
import type { InputOf, ReplyOf } from '../../../../../shared/contracts/operation.ts';
import { steadyNow } from '../../../../../shared/deadline.ts';
import { newRequestId } from '../../../../../shared/ids.ts';
import { itemKey, itemOfKey } from '../../../../../shared/items/item.ts';
import { isKind, isVisible } from '../../../../../shared/items/item-record.ts';
import { PerchError } from '../../../../../shared/perch-error.ts';
import type { Visit, WindowState } from '../../../../../shared/ports/cache.ts';
import { refererOf, toDurationMs } from '../../../access-log/access-events.ts';
import type { Blocklist } from '../../../admission/blocklist.ts';
import { hashOwnerToken, isSameHash } from '../../../auth/owner-token.ts';
import {
  answerOf,
  type CountedGroup,
  createCountedGroups,
  windowOf,
} from '../../../hot-reads/counted-groups.ts';
import type { HotDependencies } from '../../../hot-reads/hot-reads.ts';
import { setRateHeaders } from '../../../hot-reads/rate-headers.ts';
import { clientAddress, clientKey } from '../../../http/client.ts';
import type { AnswerNormally, FastPathWrite } from '../../../http/fast-path.ts';
import { maskPath } from '../../../http/query-masking.ts';
import type { UploadDependencies } from '../../../uploads/dependencies.ts';
import { etagOfEntry, writtenEntry } from '../serializer.ts';
import { parseKvBody } from '../value.ts';
import { type PlainPut, plainPut } from './plain-puts.ts';
import type { PreparedPutAnswer, PreparedPutAnswers } from './prepared-put-answers.ts';
import { createSharedRoom, type RoomOfClient } from './shared-room.ts';

interface HotPuts {
  /** The answer to a request that this path takes; `null` leaves it to the normal path. */
  take(request: Request, server: Server<unknown>): Promise<Response> | null;
}

interface HotPutDependencies extends HotDependencies, Pick<UploadDependencies, 'budget' | 'bus'> {
  blocklist: Blocklist;
}

/** A request on this path. */
interface Put extends PlainPut {
  request: Request;
  server: Server<unknown>;
  prepared: PreparedPutAnswer;
  clientIp: string;
  client: string;
  begun: FastPathWrite;
  room: RoomOfClient;
  window: WindowState | null;
  resolve(response: Response | Promise<Response>): void;
  reject(error: unknown): void;
}

type Write = InputOf<typeof replaceEntries>['writes'][number];
type Outcome = ReplyOf<typeof replaceEntries>['outcomes'][number];

/** A put that may be done. */
interface Ready {
  put: Put;
  write: Write;
}

/**
 * Most characters of the values in one message: as JSON within JSON they take twice as many bytes at the most. Puts gather
 * until their bodies have as many bytes; a value may be longer than the body that it came in (1e20 has 21 digits).
 */
const MESSAGE_CHARACTERS = 524_288;

/**
 * Turns of the event loop to wait before sending: clients just answered send their next request within them, and then share one
 * message.
 */
const TURNS_TO_LEAVE = 3;

/** Time for a message, in ms: every request has so much. */
const LIMIT_MS = 15_000;

/**
 * A fast path for a plain PUT of a key that is there: no condition, no query, a small body that came along with its
 * headers. Puts gather while others are under way. Those that leave together are counted and find their stores in one round trip;
 * what may be written goes to `kv` in one message, and each is answered from its own outcome. The path makes no errors:
 * whatever is not as expected goes to the normal path, along with what was done.
 */
export function createHotPuts(
  deps: HotPutDependencies,
  answers: PreparedPutAnswers,
  answerNormally: AnswerNormally<FastPathWrite>,
): HotPuts {
  const { accessEvents, blocklist, bus, cache, clock, config, limits, metrics } = deps;
  const limit = limits.limitOf('changes');
  const room = createSharedRoom(deps);

  /** Gives back what a put holds on this path. */
  const end = ({ room: taken }: Put): void => {
    metrics.requestEnded();
    taken.leave();
  };

  /** Leaves a put to the normal path. */
  const handOver = (put: Put): void => {
    end(put);
    put.resolve(answerNormally(put.request, put.server, put.begun));
  };

  /** Leaves a put that has failed to the normal path, which makes the error. */
  const fail = (put: Put, failure: unknown): void => {
    put.begun.failure = failure;
    handOver(put);
  };

  const answer = (put: Put, write: Write, outcome: Done): Response => {
    const { prepared, window, request, begun, clientIp, userAgent, path, item } = put;
    const { headers } = prepared;
    const requestId = newRequestId();
    headers.set('ETag', etagOfEntry(outcome.entry));
    headers.set('X-Request-Id', requestId);
    setRateHeaders(headers, limit, window);
    const written = writtenEntry(write, { ...outcome, created: false }, prepared.baseUrl);
    const response = new Response(JSON.stringify(written), { headers });
    const seconds = (performance.now() - begun.startedAt) / 1000;
    metrics.observeDuration('api', seconds);
    accessEvents.record({
      at: begun.arrivedAt,
      requestId,
      clientIp,
      userAgent,
      method: 'PUT',
      path: maskPath(path),
      query: '',
      status: 200,
      durationMs: toDurationMs(seconds),
      referer: refererOf(request.headers),
      resourceType: 'kv',
      resourceNamespace: item.namespace,
      resourceId: item.id,
    });
    return response;
  };

  /** `null`: it may not be done, or not here. */
  const writeOf = (
    { item, key, token, begun, window }: Put,
    outcome: CountedGroup<Visit>['outcome'],
  ): Write | null => {
    if (window !== null && window.hits > limit) return null;
    const record = 'error' in outcome ? null : outcome.value.record;
    if (!isVisible(record, clock.now()) || !isKind(record, 'kv')) return null;
    if (!isSameHash(hashOwnerToken(token), record.ownerHash)) return null;
    const value = valueIn(Bun.peek(begun.body));
    return value === null ? null : { ...item, ownerHash: record.ownerHash, key, ...value };
  };

  /** Counts puts, and finds their stores; those that may not be done, or not here, go to the normal path. */
  const count = async (arrived: Put[]): Promise<Ready[]> => {
    room.beginAnew();
    const puts: Put[] = [];
    for (const put of arrived) {
      if (isHere(put)) puts.push(put);
      else handOver(put);
    }
    const visits = createCountedGroups((item: string) => cache.visit(itemOfKey(item), false));
    const windows = createCountedGroups((client: string, times) => limits.count(client, 'changes', times));
    for (const { item, client } of puts) {
      visits.add(itemKey(item));
      windows.add(client);
    }
    await Promise.all([visits.ask(), windows.ask()]);
    const ready: Ready[] = [];
    let characters = 0;
    for (const put of puts) {
      const visited = visits.next(itemKey(put.item));
      put.window = windowOf(windows.next(put.client));
      put.begun.counted = {
        window: put.window,
        visit: async () => ({ ...answerOf(visited), entry: null }),
      };
      const write = writeOf(put, visited.outcome);
      characters += write?.value.length ?? 0;
      if (write === null || characters > MESSAGE_CHARACTERS) handOver(put);
      else ready.push({ put, write });
    }
    return ready;
  };

  const send = async (arrived: Put[], answered: () => void): Promise<void> => {
    const ready = await count(arrived);
    if (ready.length === 0) {
      answered();
      return;
    }
    const context = { requestId: newRequestId(), deadline: steadyNow() + LIMIT_MS };
    let outcomes: Outcome[];
    try {
      const input = { writes: ready.map(({ write }) => write) };
      outcomes = (await call(bus, replaceEntries, input, context)).outcomes;
    } catch (error) {
      for (const { put } of ready) {
        if (isUnserved(error)) handOver(put);
        else fail(put, error);
      }
      return;
    } finally {
      answered();
    }
    let done = 0;
    for (const [index, { put, write }] of ready.entries()) {
      const outcome = outcomes[index] ?? null;
      if (outcome === null) handOver(put);
      else if ('failure' in outcome) fail(put, errorOf(outcome.failure));
      else {
        end(put);
        done += 1;
        try {
          put.resolve(answer(put, write, outcome));
        } catch (error) {
          put.reject(error);
        }
      }
    }
    metrics.hotPutsAnswered(done);
  };

  const batcher = createBatcher<Put>({
    most: { count: MAX_REPLACED, size: MESSAGE_CHARACTERS },
    sizeOf: ({ bytes }) => bytes,
    turnsToLeave: TURNS_TO_LEAVE,
    send: (arrived, answered) => void send(arrived, answered),
  });

  const take: HotPuts['take'] = (request, server) => {
    if (request.method !== 'PUT') return null;
    const prepared = answers.find(request.headers);
    const plain = prepared === null ? null : plainPut(request);
    if (prepared === null || plain === null) return null;
    const clientIp = clientAddress(request, server, config.trustProxy);
    const client = clientKey(clientIp);
    if (limits.refuses(client, 'changes') || blocklist.mayRefuse(clientIp, plain.userAgent)) return null;
    const taken = room.take(client, plain.bytes);
    if (taken === null) return null;
    const [startedAt, arrivedAt] = [performance.now(), Date.now()];
    const body = request.arrayBuffer();
    // The normal path may end before it comes to the body.
    body.catch(() => undefined);
    metrics.requestStarted();
    return new Promise((resolve, reject) => {
      batcher.add({
        ...plain,
        request,
        server,
        prepared,
        clientIp,
        client,
        room: taken,
        window: null,
        resolve,
        reject,
        begun: { startedAt, arrivedAt, body, counted: null, failure: null },
      });
    });
  };

  return { take };
}

type Done = Extract<Outcome, { entry: unknown }>;

/** Whether the body has come. One that is sent with its headers is here by the end of the turn. */
function isHere({ begun, bytes }: Put): boolean {
  const body = Bun.peek(begun.body);
  return body instanceof ArrayBuffer && body.byteLength === bytes;
}

function valueIn(body: unknown): { value: string; sizeBytes: number } | null {
  if (!(body instanceof ArrayBuffer)) return null;
  try {
    return parseKvBody(new Uint8Array(body)).value;
  } catch {
    return null;
  }
}

/** Whether nobody took a message, such as a `kv` of an earlier release: it is not done. */
const isUnserved = (error: unknown): boolean =>
  error instanceof PerchError && error.code === 'UNAVAILABLE' && !error.mayBeDone && !error.isRefusal;
