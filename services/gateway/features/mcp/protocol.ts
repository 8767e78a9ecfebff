import type * as Sdk from '@modelcontextprotocol/server';
import type { ErrorCode, PerchError } from '../../../../shared/perch-error.ts';
import type { MemoryBudget } from '../../admission/memory-budget.ts';
import type { Limits } from '../../admission/rate-limits.ts';
import { asPerchError, errorBody } from '../../http/error-status.ts';
import { currentContext, type RequestContext } from '../../http/request-context.ts';
import { openResultRoom, type ResultRoom } from './result-room.ts';
import type { Tool } from './tool.ts';
import { type McpOperations, openToolCall } from './tool-call.ts';

export interface McpDependencies {
  budget: MemoryBudget;
  limits: Limits;
  /** Log of the service's own failures. */
  failures: { report(error: PerchError, requestId: string): void };
}

const INSTRUCTIONS = `Perch puts pages, files, websites, JSON documents and key-value stores on the web, under short addresses, without an account.
- Publishing returns \`url\` (give it to your user), \`readableBy\` (say it to your user) and \`ownerToken\` (keep it: only with it can the item be changed, renewed or deleted; never publish it).
- By default an item goes into a new random namespace: whoever has the address can read it, and nobody else finds it. \`namespace: "public"\` shows it to everybody.
- Items are deleted after 15 days unless \`ttlDays\` says otherwise; renew counts anew.
- Which tool: one page publish_html, several files publish_site, a picture or PDF publish_file, data publish_json, values that change publish_kv.
- A failed call returns \`code\` and \`next\`, what to do then.`;

/** Makes the server of one request: its client is the one of the request that is being answered. */
export function serverFactory(
  sdk: typeof Sdk,
  tools: Tool[],
  operations: McpOperations,
  deps: McpDependencies & { onCall(): void },
) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const listed = tools.map(describe);

  return (): Sdk.Server => {
    const server = new sdk.Server(
      { name: 'perch', title: 'Perch', version: '1.0.0' },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    );
    server.setRequestHandler('tools/list', () => ({ tools: listed }));
    const room = openResultRoom(currentContext(), deps.budget);
    server.setRequestHandler('tools/call', async ({ params }) => {
      deps.onCall();
      const tool = byName.get(params.name);
      if (tool === undefined) {
        const message = `There is no tool "${params.name.slice(0, 100)}". tools/list names all.`;
        const unknown = new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, message);
        const outer = currentContext();
        const failure = await countedAsRead(outer, deps.limits, unknown);
        if (failure === unknown) throw unknown;
        return failed(failure, outer, deps.failures);
      }
      return await callTool(tool, operations, deps, room, params.arguments ?? {});
    });
    return server;
  };
}

async function callTool(
  tool: Tool,
  operations: McpOperations,
  { failures, limits }: McpDependencies,
  room: ResultRoom,
  given: Record<string, unknown>,
): Promise<Sdk.CallToolResult> {
  const outer = currentContext();
  const call = openToolCall(outer, operations);
  try {
    const run = async () => {
      const structuredContent = { ...(await tool.run(call, given)) };
      return { structuredContent, text: JSON.stringify(structuredContent) };
    };
    // Results of changes are short, and have to be told: a new owner token comes only once.
    const { structuredContent, text } = await (tool.effect === 'reads' ? room.read(run) : run());
    return { structuredContent, content: [{ type: 'text', text }] };
  } catch (thrown) {
    return failed(call.hasAsked() ? thrown : await countedAsRead(outer, limits, thrown), outer, failures);
  } finally {
    call.end();
  }
}

/** Counts a call that came to no operation, which would count it. Its error, or that of the limit. */
async function countedAsRead(outer: RequestContext, limits: Limits, failure: unknown): Promise<unknown> {
  try {
    await limits.admit(outer, 'reads');
    return failure;
  } catch (refused) {
    return refused;
  }
}

/** The answer has status 200 whatever became of the call: the log has that of the error. */
function failed(
  thrown: unknown,
  outer: RequestContext,
  failures: McpDependencies['failures'],
): Sdk.CallToolResult {
  const error = asPerchError(thrown);
  const { status, result } = toolError(error, outer.requestId);
  outer.loggedStatus = status;
  if (status >= 500 && !error.isRefusal) failures.report(error, outer.requestId);
  return result;
}

/** A tool as the list has it. */
const describe = ({ name, title, description, effect, input, output }: Tool): Sdk.Tool => ({
  name,
  title,
  description,
  inputSchema: plain(input),
  outputSchema: plain(output),
  annotations: {
    title,
    readOnlyHint: effect === 'reads',
    destructiveHint: effect === 'changes' || effect === 'removes',
    idempotentHint: effect !== 'creates',
    openWorldHint: true,
  },
});

/** A schema as it travels. */
const plain = (schema: object): Sdk.Tool['inputSchema'] => JSON.parse(JSON.stringify(schema));

const SEND_TOKEN =
  'Pass `ownerToken`: the token that the publishing tool returned for this item. It cannot be recovered; without it, publish a new item.';

/** The next step of a model after an error, in words of tools: the error's message speaks of HTTP. */
const NEXT: Partial<Record<ErrorCode, string>> = {
  VALIDATION_FAILED: 'Correct the arguments that `details` names, and call the tool again.',
  NAMESPACE_RESERVED: 'Choose another `namespace`, or leave it out to get a random one.',
  ID_TAKEN: 'Choose another `id`, or leave it out to get a free one.',
  OWNER_TOKEN_REQUIRED: SEND_TOKEN,
  OWNER_TOKEN_BLANK:
    'Pass `ownerToken`: one that a publishing tool returned. Items that were published without `ownerToken` have a token each.',
  OWNER_TOKEN_WRONG: SEND_TOKEN,
  OWNER_TOKEN_INVALID:
    'Pass the `ownerToken` of an earlier answer as it was. A publishing tool that gets none returns a new one.',
  PASSWORD_REQUIRED: 'Ask your user for the password of the item, and pass it as `password`.',
  PASSWORD_WRONG:
    'Ask your user for the right password. After ten wrong ones the item is closed for 15 minutes.',
  NOT_FOUND:
    'Check `namespace` and `id` (and `key`). The item may be of another kind, which this tool is not for: list_mine tells the kind. If it has expired, publish it again.',
  GONE: 'It has expired or was removed: publish it again.',
  PRECONDITION_FAILED:
    'Read the item again, put your change into what it is now, and send that with its new `etag` as `ifMatch`; set_kv without `onlyIfAbsent`.',
  TOO_LARGE: 'Send less, or ask for less at once, or divide it. get_limits says what is possible.',
  PAGE_TOO_LARGE: 'Send less, or divide it. get_limits says what is possible.',
  CONTENT_REJECTED: 'Change the content, or publish it as another kind.',
  UNSUPPORTED_MEDIA_TYPE: 'Choose a filename whose extension fits the content and is supported.',
  LIMIT_REACHED: 'Delete what is not needed any more (list_mine, delete_resource), or use another namespace.',
  RATE_LIMITED: 'Wait `retryAfterSeconds`, then call the tool again. get_limits says where you stand.',
  UNAVAILABLE:
    'Wait `retryAfterSeconds`, then call the tool again, a publishing one with an `idempotencyKey`.',
  TIMEOUT: 'Wait `retryAfterSeconds`, then call the tool again, a publishing one with an `idempotencyKey`.',
};

/** The result of a call that failed: the error, and the next step. */
function toolError(error: PerchError, requestId: string) {
  const { status, code } = errorBody(error, requestId);
  const { message, details } = error;
  const told = {
    code,
    message,
    ...(details.length > 0 ? { details } : {}),
    next: NEXT[error.code] ?? 'Do as the message says.',
    ...(error.retryAfter === null ? {} : { retryAfterSeconds: error.retryAfter }),
    requestId,
  };
  return {
    status,
    result: { isError: true, content: [{ type: 'text' as const, text: JSON.stringify(told) }] },
  };
}
