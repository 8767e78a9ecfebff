import { expect } from 'bun:test';
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import { USER_AGENT } from './client.ts';

/** Revisions that the SDK's client can be told to speak: the one with a handshake, and the one without. */
export const ERAS = ['legacy', { pin: '2026-07-28' }] as const satisfies Array<
  VersionNegotiationOptions['mode']
>;

export interface Agent {
  client: Client;
  /** The result of a call that must succeed. The SDK has held it against the tool's output schema. */
  call<Result = Record<string, unknown>>(name: string, given?: object): Promise<Result>;
  /** The error of a call that must fail. */
  fail(name: string, given?: object): Promise<ToolError>;
}

export interface ToolError {
  code: string;
  message: string;
  next: string;
  details?: Array<{ field: string; message: string }>;
  retryAfterSeconds?: number;
  requestId: string;
}

/** An agent as a host makes one: the SDK's own client over HTTP, which knows the list of tools. */
export async function connectAgent(
  url: string,
  {
    mode = 'auto',
    headers = {},
  }: { mode?: VersionNegotiationOptions['mode']; headers?: Record<string, string> } = {},
): Promise<Agent> {
  const client = new Client({ name: 'acceptance', version: '1.0.0' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { 'User-Agent': USER_AGENT, ...headers } },
  });
  await client.connect(transport);
  await client.listTools();
  const run = (name: string, given: object): Promise<CallToolResult> =>
    client.callTool({ name, arguments: { ...given } });
  return {
    client,
    async call<Result>(name: string, given = {}) {
      const result = await run(name, given);
      expect([name, result.isError ?? false, result.isError === true ? result.content : []]).toEqual([
        name,
        false,
        [],
      ]);
      const [first] = result.content;
      expect(JSON.parse(first?.type === 'text' ? first.text : '')).toEqual(result.structuredContent);
      return result.structuredContent as Result;
    },
    async fail(name, given = {}) {
      const result = await run(name, given);
      expect([name, result.isError]).toEqual([name, true]);
      const [first] = result.content;
      return JSON.parse(first?.type === 'text' ? first.text : '') as ToolError;
    },
  };
}

/** The answer of a tool that publishes. */
export interface Made {
  namespace: string;
  id: string;
  url: string;
  ownerToken: string;
  readableBy: string;
}

/** The arguments that name an item, and with its token those of its owner. */
export const named = ({ namespace, id }: Made) => ({ namespace, id });
export const owned = (made: Made) => ({ ...named(made), ownerToken: made.ownerToken });
