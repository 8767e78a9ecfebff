import { PerchError } from '../errors.ts';
import type { Bus } from '../ports/bus.ts';
import { call } from './call.ts';
import type { AnyOperation, CallContext, InputOf, ReplyOf } from './operation.ts';

/**
 * Pause before the second attempt, in ms: by then a restarting service is known to be away, so the attempt waits for
 * it.
 */
const PAUSE_MS = 100;

/**
 * Asks for something that changes nothing: once more when NATS, or what the service stands on, was lost with the answer,
 * as by a restart. A refusal is not asked again, nor what was too late.
 */
export async function callToRead<O extends AnyOperation>(
  bus: Bus,
  operation: O,
  input: InputOf<O>,
  context: CallContext,
): Promise<ReplyOf<O>> {
  try {
    return await call(bus, operation, input, context);
  } catch (error) {
    if (!(error instanceof PerchError) || error.code !== 'UNAVAILABLE' || error.isRefusal) throw error;
    await Bun.sleep(PAUSE_MS);
    return await call(bus, operation, input, context);
  }
}
