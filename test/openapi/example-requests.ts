import type {
  ExampleBody,
  ExamplePart,
  ExampleRequest,
  Operation,
} from '../../services/gateway/openapi/operation.ts';
import { createItem, EXAMPLE_ADMIN_PASSWORD, type ExampleItem } from './example-items.ts';

/** The operator's key in the examples of its file. */
export const EXAMPLE_INDEXNOW_KEY = 'example-index-now-key';

/** A request made out of an example, ready to be sent. */
export interface PreparedRequest {
  /** With its query. */
  path: string;
  init: RequestInit & { method: string; headers: Record<string, string> };
}

/** Creates what an example needs, and fills it in. */
export async function prepareExample(
  baseUrl: string,
  { method, path: template, operation }: { method: string; path: string; operation: Operation },
  example: ExampleRequest,
): Promise<PreparedRequest> {
  const item = example.needs === undefined ? null : await createItem(baseUrl, example.needs);
  const parts: Record<string, string> = { ...item?.path, ...example.path };
  const address = template.replace(/\{(\w+)\}/g, (_, name: string) => encodePart(name, parts[name]));
  const values = {
    adminPassword: EXAMPLE_ADMIN_PASSWORD,
    ...item?.values,
    ...(await etagFor(baseUrl, address, item, example)),
  };
  const fill = (fields: Record<string, string> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, filled(text, values)]));
  const query = new URLSearchParams(fill(example.query)).toString();
  const { body, type } = example.body === undefined ? {} : bodyOf(example.body, operation);
  return {
    path: query === '' ? address : `${address}?${query}`,
    init: {
      method,
      redirect: 'manual',
      headers: {
        'User-Agent': 'PerchExamples/1.0',
        ...(type === undefined ? {} : { 'Content-Type': type }),
        ...fill(example.headers),
      },
      ...(body === undefined ? {} : { body }),
    },
  };
}

function encodePart(name: string, value: string | undefined): string {
  if (value === undefined) throw new Error(`nothing fills {${name}}`);
  return value.split('/').map(encodeURIComponent).join('/');
}

function filled(text: string, values: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`nothing stands for {${name}}`);
    return value;
  });
}

/** The ETag of what is at the example's own address, where it asks for that. */
async function etagFor(
  baseUrl: string,
  address: string,
  item: ExampleItem | null,
  { headers }: ExampleRequest,
): Promise<Record<string, string>> {
  if (item === null || !Object.values(headers ?? {}).includes('{etag}')) return {};
  const response = await fetch(`${baseUrl}${address}`, { headers: { 'User-Agent': 'PerchExamples/1.0' } });
  const etag = response.headers.get('etag');
  await response.body?.cancel();
  if (etag === null) throw new Error(`${address} has no ETag`);
  return { etag };
}

function bodyOf(
  body: ExampleBody,
  operation: Operation,
): { body: NonNullable<RequestInit['body']>; type?: string } {
  const { type } = body;
  if ('parts' in body) return { body: formOf(body.parts) };
  if ('base64' in body) return { body: Buffer.from(body.base64, 'base64'), type };
  const example = operation.requestBody?.content[type]?.examples[body.example];
  if (example === undefined || '$ref' in example) throw new Error(`${type} has no example ${body.example}`);
  const { value } = example;
  if (type === 'application/json') return { body: JSON.stringify(value), type };
  if (type === 'application/x-www-form-urlencoded') {
    return { body: new URLSearchParams(value as Record<string, string>).toString(), type };
  }
  return { body: String(value), type };
}

function formOf(parts: ExamplePart[]): FormData {
  const form = new FormData();
  for (const part of parts) {
    if (!('filename' in part)) {
      form.append(part.name, part.value);
      continue;
    }
    const bytes = 'base64' in part ? Buffer.from(part.base64, 'base64') : part.value;
    form.append(part.name, new File([bytes], part.filename, { type: part.type }));
  }
  return form;
}
