import { isIP } from 'node:net';
import { within } from '../../../../shared/deadline.ts';
import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { type FairBudget, type Holding, holdFor } from '../../admission/fair-budget.ts';
import { SMALL_BODY_BYTES } from '../../admission/memory-budget.ts';
import { readBody } from '../../admission/read-body.ts';
import type { Connection } from '../../http/client.ts';
import { isHostOf } from '../../http/hosts.ts';
import { decodeJson, inexactNumber, jsonStructure, parseJson } from '../../http/json.ts';
import { currentContext, type RequestContext } from '../../http/request-context.ts';
import type { AnswerWatch } from '../../items/answer-watch.ts';
import { loadOnce } from '../../web/fixed-body.ts';
import { assertFewMembers, assertOwnIds, isToolCalls, methodsOf, withoutCancellations } from './messages.ts';
import { type McpDependencies, serverFactory } from './protocol.ts';
import type { Tool } from './tool.ts';
import type { McpOperations } from './tool-call.ts';

/** A file of 5 MB as base64, or a page of 5 MB with its escapes; a site of about 10 MB. */
const BODY_BYTES = 16 * 1_048_576;

const BODY_LIMIT = {
  bytes: BODY_BYTES,
  tooLarge: () => errors.tooLarge('The message', BODY_BYTES),
  // Text of machines becomes fifty times as long.
  ratio: 50,
};

/** A document as large as it may be, and the rest of its message. */
const MAX_STRUCTURE = LIMITS.jsonBytes + 65_536;

/** Times that a large body is in memory beside its bytes: as text, and as the argument that becomes an item. */
const COPIES = 2;

/** Longest that a body of the revisions with a handshake is worked on, in ms: operations of its tools have limits of their own. */
const ANSWER_LIMIT_MS = 60_000;

/** Room that each message has to find for its answer before it is handled; larger answers take what they need of it. */
const MIN_ANSWER_ROOM = 262_144;

interface EndpointDependencies extends McpDependencies {
  answers: AnswerWatch;
  /** Room for answers that their readers have not taken yet, in bytes. */
  unsent: FairBudget;
  config: { baseUrl: string | null };
}

/**
 * Answers POST /mcp: Streamable HTTP without sessions, each answer one JSON body. The SDK takes 26 MB and half a second to
 * load: the first request loads it.
 */
export function createMcpEndpoint(
  deps: EndpointDependencies,
  tools: () => Tool[],
  operations: McpOperations,
) {
  /** Requests already counted: as a read, or by the operation of a tool call. */
  const counted = new WeakSet<RequestContext>();
  const loaded = loadOnce(async () => {
    const sdk = await import('@modelcontextprotocol/server');
    const onCall = () => void counted.add(currentContext());
    const makeServer = serverFactory(sdk, tools(), operations, { ...deps, onCall });
    // Nothing that a client could subscribe to ever changes, so that no subscription holds a connection open.
    const modern = sdk.createMcpHandler(makeServer, { legacy: 'reject', maxSubscriptions: 0 });
    return { sdk, makeServer, modern };
  });

  async function dispatch(request: Request, parsedBody: unknown): Promise<Response> {
    const { sdk, makeServer, modern } = await loaded();
    if (!(await sdk.isLegacyRequest(request, parsedBody))) return await modern.fetch(request, { parsedBody });
    const messages = withoutCancellations(parsedBody);
    if (Array.isArray(messages) && messages.length === 0) return new Response(null, { status: 202 });
    const server = makeServer();
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      const answering = transport.handleRequest(request, { parsedBody: messages });
      return await within(answering, ANSWER_LIMIT_MS, () => errors.timeout('the MCP messages'));
    } finally {
      await server.close();
    }
  }

  return async (context: RequestContext): Promise<Response> => {
    requireAllowedOrigin(context.request, deps.config.baseUrl);
    if (!/^application\/json\s*(?:;|$)/i.test(context.request.headers.get('content-type') ?? ''))
      throw errors.unsupportedMediaType('Send JSON-RPC messages as application/json.');
    const body = await readMessages(context, deps);
    if (!isToolCalls(body)) {
      await deps.limits.admit(context, 'reads');
      counted.add(context);
    }
    // Slots of answers that are over are free for this one.
    deps.answers.settle();
    const room = deps.unsent.open(context.clientKey);
    try {
      await room.take(MIN_ANSWER_ROOM);
      const answer = await dispatch(withAccept(context.request), body);
      // The protocol has refused all calls, as for another version of it.
      if (!counted.has(context)) await deps.limits.admit(context, 'reads');
      answer.headers.set('Cache-Control', 'no-store');
      return await heldUntilSent(answer, context.connection, room, deps.answers);
    } catch (error) {
      room.release();
      throw error;
    }
  };
}

/** The answer, whose bytes hold room until they are sent: a client that asks and never reads would fill the memory with them. */
async function heldUntilSent(
  answer: Response,
  connection: Connection | null,
  room: Holding,
  answers: AnswerWatch,
): Promise<Response> {
  const bytes = await answer.bytes();
  const { headers, status } = answer;
  if (connection === null || bytes.length <= MIN_ANSWER_ROOM) room.release();
  else {
    // A message that has changed something cannot be refused any more, but the client's next one can.
    room.takeUpTo(bytes.length - MIN_ANSWER_ROOM);
    answers.add(connection, bytes.length, () => room.release());
  }
  return new Response(bytes.length === 0 ? null : bytes, { headers, status });
}

/** Reads a body. One of more than 64 KB counts as a read for each MB that it begins, before it is decoded. */
async function readMessages(
  context: RequestContext,
  { budget, limits }: EndpointDependencies,
): Promise<unknown> {
  if (mayBeLarge(context.request.headers)) limits.refuseKnown(context, 'reads');
  const bytes = await readBody(context, BODY_LIMIT, budget);
  if (bytes.length > SMALL_BODY_BYTES) {
    const reads = Math.ceil(bytes.length / 1_048_576);
    await limits.admit(context, 'reads', await limits.count(context.clientKey, 'reads', reads));
    await holdFor(context, budget.large).take(COPIES * bytes.length);
  }
  const text = decodeJson(bytes);
  if (jsonStructure(text) > MAX_STRUCTURE) throw errors.jsonInvalid('it has too much besides its texts');
  const body = parseJson(text);
  assertFewMembers(body);
  const methods = methodsOf(body);
  assertOwnIds(body);
  const inexact = methods.includes('tools/call') ? inexactNumber(text) : null;
  if (inexact !== null) throw errors.numberInexact(inexact, 'Send it as a string, or the whole over HTTP.');
  return body;
}

function mayBeLarge(headers: Headers): boolean {
  const declared = headers.get('content-length');
  return declared === null || headers.has('content-encoding') || Number(declared) > SMALL_BODY_BYTES;
}

/** All answers are JSON: a client that did not say that it also takes streams is as welcome. */
function withAccept({ url, headers }: Request): Request {
  const own = new Headers(headers);
  own.set('Accept', 'application/json, text/event-stream');
  return new Request(url, { method: 'POST', headers: own });
}

/**
 * Lets through programs, which send no Origin, and pages of the service itself. A page of another host is refused, and so
 * is one whose name was made to lead here (DNS rebinding): the origin has to be that of BASE_URL, or a host without DNS.
 * @throws CROSS_SITE_FORBIDDEN
 */
export function requireAllowedOrigin({ headers }: Request, baseUrl: string | null): void {
  const origin = headers.get('origin');
  if (origin === null) return;
  const page = URL.parse(origin);
  if (page !== null && baseUrl !== null && page.origin === new URL(baseUrl).origin) return;
  if (page === null || !isHostOf(headers.get('host'), page) || !isWithoutDns(page.hostname))
    throw errors.crossSiteForbidden();
}

const isWithoutDns = (hostname: string): boolean =>
  hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
