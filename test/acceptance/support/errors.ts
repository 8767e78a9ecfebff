import { expect } from 'bun:test';

/** Specification 22.1. */
export interface ErrorBody {
  status: number;
  code: string;
  error: string;
  message: string;
  details?: Array<{ field: string; message: string }>;
  supportedTypes?: string[];
  result?: { code: string; action: string; reason: string };
  timestamp: string;
  requestId: string;
}

const FIELDS = ['status', 'code', 'error', 'message', 'timestamp', 'requestId'];

/** Text that no answer may leak: stack traces, SQL, files of the service. */
const INTERNALS = /\bat \S+ \(|\bselect\b.+\bfrom\b|insert into|node_modules|\.ts:\d+/i;

/** Checks an answer to be an error of a status and code in the one shape; `field` must be among its details. */
export async function expectError(
  response: Response,
  status: number,
  code: string,
  field?: string,
): Promise<ErrorBody> {
  const text = await response.text();
  expect({ status: response.status, text }).toEqual({ status, text });
  expect(response.headers.get('Content-Type')).toStartWith('application/json');
  const body = JSON.parse(text) as ErrorBody;
  expect(body).toMatchObject({ status, code });
  const { details, supportedTypes: _, result, ...always } = body;
  expect(Object.keys(always).sort()).toEqual(FIELDS.toSorted());
  if (result !== undefined) expect(result.code).toBe('failed');
  expect(body.error).not.toBe('');
  expect(body.message).not.toBe('');
  expect(new Date(body.timestamp).toISOString()).toBe(body.timestamp);
  expect(body.requestId).toBe(response.headers.get('X-Request-Id') ?? 'no X-Request-Id');
  expect(text).not.toMatch(INTERNALS);
  for (const detail of details ?? []) expect(Object.keys(detail).sort()).toEqual(['field', 'message']);
  if (field !== undefined) expect(details?.map((detail) => detail.field)).toContain(field);
  return body;
}
