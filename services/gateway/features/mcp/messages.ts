import { errors } from '../../../../shared/errors.ts';

/** Most messages of a batch, which revision 2025-03-26 of the protocol allows. */
const MAX_MESSAGES = 20;

const messagesOf = (body: unknown): unknown[] => (Array.isArray(body) ? body : [body]);

/** The methods of a body's messages; `null` for an answer. @throws VALIDATION_FAILED for what is no JSON-RPC message, or too many */
export function methodsOf(body: unknown): unknown[] {
  const messages = messagesOf(body);
  if (messages.length === 0 || messages.length > MAX_MESSAGES)
    throw errors.validationFailed([{ field: 'body', message: `has 1 to ${MAX_MESSAGES} messages.` }]);
  return messages.map((message) => {
    if (typeof message !== 'object' || message === null)
      throw errors.validationFailed([{ field: 'body', message: 'is no JSON-RPC message.' }]);
    if (!('method' in message)) return null;
    if (message.method === '')
      throw errors.validationFailed([{ field: 'method', message: 'must not be empty.' }]);
    return message.method;
  });
}

/** Whether a body is one or several requests for calls of tools, by their form, and nothing else. */
export const isToolCalls = (body: unknown): boolean => messagesOf(body).every(isToolCall);

const isToolCall = (message: unknown): boolean =>
  memberOf(message, 'jsonrpc') === '2.0' &&
  memberOf(message, 'method') === 'tools/call' &&
  ['string', 'number'].includes(typeof memberOf(message, 'id')) &&
  typeof memberOf(memberOf(message, 'params'), 'name') === 'string';

/** Members of a message and of its parts; documents and values have their own limits. */
const MAX_MEMBERS = 100;

/** Each member is checked by the schemas of the protocol and of the tool. @throws JSON_INVALID */
export function assertFewMembers(body: unknown): void {
  for (const message of messagesOf(body)) {
    const params = memberOf(message, 'params');
    const parts = [message, params, memberOf(params, 'arguments'), memberOf(params, '_meta')];
    if (parts.some((part) => isObject(part) && Object.keys(part).length > MAX_MEMBERS))
      throw errors.jsonInvalid(`a message, its params or arguments have more than ${MAX_MEMBERS} members`);
  }
}

/**
 * A server answers each id of a batch once: of two requests with one id both would be carried out, and the answer of one lost.
 * @throws VALIDATION_FAILED
 */
export function assertOwnIds(body: unknown): void {
  if (!Array.isArray(body)) return;
  const ids = body.flatMap((message) => {
    const id = memberOf(message, 'method') === undefined ? undefined : memberOf(message, 'id');
    return id === undefined ? [] : [id];
  });
  if (new Set(ids).size < ids.length)
    throw errors.validationFailed([
      { field: 'id', message: 'must be another one for each request of a batch.' },
    ]);
}

/**
 * A batch without its cancellations, of which none can mean a request of another body, as there are no sessions. A request that is
 * cancelled gets no answer (specification of MCP, Cancellation), and a batch whose answers are one body would wait for it for ever.
 */
export const withoutCancellations = (body: unknown): unknown =>
  Array.isArray(body)
    ? body.filter((message) => memberOf(message, 'method') !== 'notifications/cancelled')
    : body;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);
