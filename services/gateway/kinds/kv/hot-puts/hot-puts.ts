import type { Server } from 'bun';
import { createBatcher } from '../../../../../shared/batcher.ts';
import { call, errorOf } from '../../../../../shared/contracts/call.ts';
import { MAX_REPLACED, replaceEntries } from '../../../../../shared/contracts/kv.ts';
import { steadyNow } from '../../../../../shared/deadline.ts';
import { newRequestId } from '../../../../../shared/ids.ts';
import { PerchError } from '../../../../../shared/perch-error.ts';
import type { Blocklist } from '../../../admission/blocklist.ts';
import type { HotDependencies } from '../../../hot-reads/hot-reads.ts';
import { clientAddress, clientKey } from '../../../http/client.ts';
import type { AnswerNormally, FastPathWrite } from '../../../http/fast-path.ts';
import type { UploadDependencies } from '../../../uploads/dependencies.ts';
import { createPutCounter, MESSAGE_CHARACTERS, type Ready } from './count-puts.ts';
import { plainPut } from './plain-puts.ts';
import type { PreparedPutAnswers } from './prepared-put-answers.ts';
import type { Outcome, Put } from './put.ts';
import { createPutAnswer } from './put-answer.ts';
import { inMessages } from './put-messages.ts';
import { createSharedRoom } from './shared-room.ts';

interface HotPuts {
  /** The answer to a request that this path takes; `null` leaves it to the normal path. */
  take(request: Request, server: Server<unknown>): Promise<Response> | null;
}

interface HotPutDependencies extends HotDependencies, Pick<UploadDependencies, 'budget' | 'bus'> {
  blocklist: Blocklist;
}

/**
 * Turns of the event loop to wait before sending: clients just answered send their next request within them, and then share one
 * message.
 */
const TURNS_TO_LEAVE = 3;

/** Time for a message, in ms: every request has so much. */
const LIMIT_MS = 15_000;

/**
 * A fast path for a plain PUT of a key that is there: no condition, no query, a small body that came along with its
 * headers. Puts gather while others are under way. Puts that leave together are counted and find their stores in one round trip;
 * what may be written goes to `kv` in one message, and several values of one key in another one. Each is answered from its own
 * outcome. The path makes no errors: whatever is not as expected goes to the normal path, along with what was done.
 */
export function createHotPuts(
  deps: HotPutDependencies,
  answers: PreparedPutAnswers,
  answerNormally: AnswerNormally<FastPathWrite>,
): HotPuts {
  const { blocklist, bus, config, limits, metrics } = deps;
  const room = createSharedRoom(deps);
  const answer = createPutAnswer(deps);

  /** Ends a put on this path, and gives back its room. */
  const release = ({ room: taken }: Put): void => {
    metrics.requestEnded();
    taken.leave();
  };

  /** Leaves a put to the normal path. */
  const handOver = (put: Put): void => {
    release(put);
    put.resolve(answerNormally(put.request, put.server, put.fastPath));
  };

  /** Leaves a put that has failed to the normal path, which makes the error. */
  const fail = (put: Put, failure: unknown): void => {
    put.fastPath.failure = failure;
    handOver(put);
  };

  const countPuts = createPutCounter(deps, handOver);

  const send = async (arrived: Put[], answered: () => void): Promise<void> => {
    room.startGroup();
    const messages = inMessages(await countPuts(arrived));
    if (messages.length === 0) answered();
    await Promise.all(messages.map((ready) => replace(ready, answered)));
  };

  const replace = async (ready: Ready[], answered: () => void): Promise<void> => {
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
        release(put);
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
    max: { count: MAX_REPLACED, size: MESSAGE_CHARACTERS },
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
        fastPath: { startedAt, arrivedAt, body, counted: null, failure: null },
      });
    });
  };

  return { take };
}

/** Whether nobody took a message, such as a `kv` of an earlier release: it is not done. */
const isUnserved = (error: unknown): boolean =>
  error instanceof PerchError && error.code === 'UNAVAILABLE' && !error.mayBeDone && !error.isRefusal;
