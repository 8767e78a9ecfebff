import { validateExchange } from '../../openapi/validator.ts';

/** Longer bodies are left to the test: to read them here could change what it is about. */
const MAX_BODY_BYTES = 1_048_576;

/**
 * Every answer of the suite is held against the OpenAPI document, whatever its test looks at besides.
 * @throws what the answer does that is not documented
 */
export async function expectDocumented(requested: string, response: Response): Promise<void> {
  const { status, headers } = response;
  const path = new URL(response.url).pathname;
  const method = response.redirected ? 'GET' : requested;
  const length = Number(headers.get('content-length') ?? Number.NaN);
  const body = length <= MAX_BODY_BYTES ? await copyOf(response) : null;
  assertDocumented({ method, path, status, headers, body });
}

/** Checks an answer that came over a socket. A body that is chunked or compressed is not looked at. */
export function expectDocumentedRaw(
  request: string,
  { status, headers, body }: { status: number; headers: Record<string, string>; body: string },
): void {
  const [, method, target] = /^([A-Z]+) (\/[^ ]*)/.exec(request) ?? [];
  if (method === undefined || !URL.canParse(`http://localhost${target}`)) return;
  // Dot segments are resolved before an address is looked at.
  const path = new URL(`http://localhost${target}`).pathname;
  const isPlain = !('transfer-encoding' in headers || 'content-encoding' in headers);
  const known = isPlain ? body : null;
  assertDocumented({ method, path, status, headers: new Headers(headers), body: known });
}

function assertDocumented(exchange: Parameters<typeof validateExchange>[0]): void {
  const fault = validateExchange(exchange);
  if (fault !== null) throw new Error(fault);
}

async function copyOf(response: Response): Promise<Uint8Array | null> {
  try {
    return await response.clone().bytes();
  } catch {
    return null;
  }
}
