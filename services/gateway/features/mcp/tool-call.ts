import { errors } from '../../../../shared/errors.ts';
import { RequestContext } from '../../http/request-context.ts';
import { headerText } from '../../http/text.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import { wellFormed } from './well-formed.ts';

type Answer = Promise<Response>;

/** A file that a tool was given whole. */
export interface GivenFile {
  bytes: Uint8Array;
  filename: string;
}

/**
 * The operations that tools call: the functions that answer the endpoints, under the ids that the operations have in the
 * interface document. Each counts against the client's limits as its endpoint does, and throws what that answers as an
 * error.
 */
export interface McpOperations {
  publishPage(context: RequestContext): Answer;
  updatePage(context: RequestContext, address: ItemAddress): Answer;
  readPage(context: RequestContext, address: ItemAddress): Answer;
  uploadFile(context: RequestContext, file: GivenFile): Answer;
  publishSite(context: RequestContext): Answer;
  replaceSite(context: RequestContext, address: ItemAddress): Answer;
  createDocument(context: RequestContext): Answer;
  readDocument(context: RequestContext, address: ItemAddress): Answer;
  updateDocument(context: RequestContext, address: ItemAddress): Answer;
  createStore(context: RequestContext): Answer;
  readStore(context: RequestContext, address: ItemAddress): Answer;
  readKey(context: RequestContext, address: ItemAddress & { key: string }): Answer;
  writeKey(context: RequestContext, address: ItemAddress & { key: string }): Answer;
  removeKey(context: RequestContext, address: ItemAddress & { key: string }): Answer;
  removeItem(context: RequestContext, address: ItemAddress): Answer;
  randomNamespace(context: RequestContext): Promise<string>;
  listGallery(context: RequestContext): Answer;
  readStats(context: RequestContext): Answer;
  listOwnedItems(context: RequestContext): Answer;
  renewItem(context: RequestContext, address: ItemAddress): Answer;
  readLimits(context: RequestContext): Answer;
}

export type McpOperation = keyof McpOperations;

export type Query = Record<string, string | number | boolean | undefined>;

/** The request of a tool to an operation. A parameter that is left out, or undefined, is not sent. */
export interface OperationInput {
  query?: Query;
  headers?: Record<string, string | undefined>;
  body?: object | string | FormData;
}

/** One call of a tool. */
export interface ToolCall {
  operations: McpOperations;
  /** The owner token of the connection, for calls that bring none of their own. */
  connectionToken: string | null;
  /** A request of this call's client, for one operation. */
  request(input?: OperationInput): RequestContext;
  /** Whether it has come as far as to an operation. */
  hasAsked(): boolean;
  /** Gives back what the call's requests hold. */
  end(): void;
}

/** Headers that links in answers follow, and the client's name for itself, which blocks and records go by. */
const OF_THE_CLIENT = ['host', 'forwarded', 'x-forwarded-host', 'x-forwarded-proto', 'user-agent'];

/** Opens a call that came with a request: its operations are those of the request's client, and count against its limits. */
export function openToolCall(outer: RequestContext, operations: McpOperations): ToolCall {
  const opened: RequestContext[] = [];
  const client = { requestIP: () => ({ address: outer.clientIp, family: 'IPv6' as const, port: 0 }) };

  return {
    operations,
    connectionToken: headerText(outer.request.headers, 'x-owner-token')?.trim() || null,
    request({ query = {}, headers = {}, body } = {}) {
      const { url } = outer.request;
      const request = new Request(
        `${url.slice(0, url.indexOf('/', url.indexOf('://') + 3))}/mcp${queryOf(query)}`,
        {
          ...(body === undefined ? {} : { method: 'POST', body: bodyOf(body) }),
          headers: { ...clientHeaders(outer), ...bodyHeaders(body), ...given(headers) },
        },
      );
      const context = new RequestContext(request, client, { baseUrl: outer.baseUrl, trustProxy: 0, port: 0 });
      opened.push(context);
      return context;
    },
    hasAsked: () => opened.length > 0,
    end() {
      for (const context of opened) {
        outer.rateHeaders = context.rateHeaders ?? outer.rateHeaders;
        outer.item = context.item ?? outer.item;
        context.end();
      }
    },
  };
}

function queryOf(query: Query): string {
  const parameters = new URLSearchParams(given(query));
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** Most characters of a value that goes into an address or a header. */
const MAX_CHARACTERS = 2_000;

/** The values that are there, as text. @throws VALIDATION_FAILED */
const given = (values: Query): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const text = String(value);
      if (text.length > MAX_CHARACTERS)
        throw errors.validationFailed([
          { field: name, message: `must have at most ${MAX_CHARACTERS} characters.` },
        ]);
      return [[name, wellFormed(text, name)]];
    }),
  );

const clientHeaders = ({ request }: RequestContext): Record<string, string> =>
  Object.fromEntries(
    OF_THE_CLIENT.flatMap((name) => {
      const value = request.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );

const bodyOf = (body: NonNullable<OperationInput['body']>): string | FormData =>
  typeof body === 'string' || body instanceof FormData ? body : JSON.stringify(body);

/** Headers that tell the type of a body; the request itself makes those of a form. */
function bodyHeaders(body: OperationInput['body']): Record<string, string> {
  return body === undefined || body instanceof FormData ? {} : { 'Content-Type': 'application/json' };
}
