import type { Static, TSchema } from '@sinclair/typebox';

/**
 * One operation a service offers on the bus: where it is asked, what is sent and what comes back.
 * `retry` says that the same input may be sent again after a lost reply, because doing it twice changes nothing more.
 */
export interface Operation<Input extends TSchema, Reply extends TSchema> {
  /** Also the queue group: the part before the dot names the service. */
  subject: string;
  input: Input;
  reply: Reply;
  /** Milliseconds one attempt may take. */
  timeoutMs: number;
  retry: boolean;
  /** Whether it changes something that people see: then its failure must not be told while it may still be done. */
  writes?: boolean;
  /** See `RequestOptions.gather`. */
  gather?: boolean;
}

/** Any operation, whatever its schemas. */
export type AnyOperation = Operation<TSchema, TSchema>;

export type InputOf<O extends AnyOperation> = Static<O['input']>;
export type ReplyOf<O extends AnyOperation> = Static<O['reply']>;

export function defineOperation<Input extends TSchema, Reply extends TSchema>(
  operation: Operation<Input, Reply>,
): Operation<Input, Reply> {
  return operation;
}

/** Whether it is only asked if the service answers: that is asked all the time, and is no work. */
export const isPing = (subject: string): boolean => subject.endsWith('.ping');
