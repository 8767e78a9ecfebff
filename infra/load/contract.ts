import type { Operation, Seen } from './send.ts';

/** The documented answers, read from the gateway's own OpenAPI document. */
export interface Contract {
  /** The deviation of an answer from its operation's documentation; `null` when it is as documented. */
  faultOf(operation: Operation, seen: Seen): string | null;
}

interface Schema {
  allOf?: Schema[];
  properties?: { code?: { enum?: string[] } };
}

interface DocumentedResponse {
  $ref?: string;
  content?: Record<string, { schema?: Schema }>;
}

interface Document {
  paths: Record<string, Record<string, { responses?: Record<string, DocumentedResponse> }>>;
  components: { responses: Record<string, DocumentedResponse> };
}

/** Statuses that come with a hint when to try again (specification 22.2). */
const RETRIABLE = new Set([429, 503, 504]);

export async function loadContract(baseUrl: string): Promise<Contract> {
  const answer = await fetch(`${baseUrl}/docs/json`, { headers: { 'User-Agent': 'PerchTests/1' } });
  const document = (await answer.json()) as Document;
  const codes = new Map<string, ReadonlySet<string>>();

  const codesOf = ({ method, template }: Operation, status: number): ReadonlySet<string> | null => {
    const name = `${method} ${template} ${status}`;
    const known = codes.get(name);
    if (known !== undefined) return known;
    const response = document.paths[template]?.[method.toLowerCase()]?.responses?.[status];
    if (response === undefined) return null;
    const shared = response.$ref?.split('/').at(-1);
    const found = codesIn(shared === undefined ? response : document.components.responses[shared]);
    codes.set(name, found);
    return found;
  };

  return {
    faultOf(operation, seen) {
      if (!seen.answered || seen.status < 400) return null;
      const allowed = codesOf(operation, seen.status);
      const code = codeOf(seen.text);
      const is = `${operation.method} ${operation.template} answered ${seen.status} ${code ?? seen.text.slice(0, 200)}`;
      if (allowed === null) return `${is}: the status is not documented`;
      if (code === null || !allowed.has(code)) return `${is}: the code is not documented`;
      if (code === 'INTERNAL') return `${is}: ${seen.text.slice(0, 300)}`;
      if (RETRIABLE.has(seen.status) && seen.retryAfter === null) return `${is}: without Retry-After`;
      return null;
    },
  };
}

function codesIn(response: DocumentedResponse | undefined): ReadonlySet<string> {
  const schema = response?.content?.['application/json']?.schema;
  return new Set((schema?.allOf ?? []).flatMap((part) => part.properties?.code?.enum ?? []));
}

/** The code of an error; `null` for a body that is none of ours. */
function codeOf(text: string): string | null {
  try {
    return (JSON.parse(text) as { code?: string }).code ?? null;
  } catch {
    return null;
  }
}
