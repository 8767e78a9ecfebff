import { RESPONSE_HEADERS } from '../../../openapi/headers.ts';
import type { ExampleBody, ExamplePart, ExampleRequest } from '../../../openapi/operation.ts';
import { SAMPLE } from '../../../openapi/samples.ts';
import type { Addressed, Components } from './api-document.ts';
import { exampleText } from './code-block.ts';
import { exampleOf } from './schema-text.ts';

/** Values that an example leaves open: the reader sets them as variables of the shell. */
const VALUES: Readonly<Record<string, string>> = {
  ownerToken: '$OWNER_TOKEN',
  adminPassword: '$ADMIN_PASSWORD',
  url: SAMPLE.url,
  etag: String(exampleOf(RESPONSE_HEADERS.ETag.schema)),
};

/** A request that shows an operation at work, as a command. */
export function curlCommand(
  { method, path, operation }: Addressed,
  example: ExampleRequest,
  { baseUrl, components }: { baseUrl: string; components: Components },
): string {
  const samples = operation.parameters
    .map(components.parameter)
    .map(({ name, schema }) => [name, exampleOf(schema)]);
  const parts: Record<string, unknown> = { ...Object.fromEntries(samples), ...example.path };
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodePath(String(parts[name])));
  const query = Object.entries(example.query ?? {}).map(([name, value]) => `${name}=${queryValue(value)}`);
  const url = `${baseUrl}${address}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const { body } = example;
  const usual = body === undefined ? 'GET' : 'POST';
  const type = body === undefined || 'parts' in body ? [] : [`Content-Type: ${body.type}`];
  const headers = Object.entries(example.headers ?? {}).map(([name, value]) => `${name}: ${filled(value)}`);
  const words = [
    `curl${method === usual ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...[...type, ...headers].map((header) => `-H ${quoted(header)}`),
    ...bodyWords(body, operation.requestBody?.content ?? {}, components),
  ];
  return words.join(' \\\n  ');
}

const filled = (text: string): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => VALUES[name] ?? whole);

const encodePath = (part: string): string => part.split('/').map(encodeURIComponent).join('/');

/** Encoded, but for a variable of the shell. */
function queryValue(value: string): string {
  const text = filled(value);
  return text.startsWith('$') ? text : encodeURIComponent(text);
}

type Content = NonNullable<Addressed['operation']['requestBody']>['content'];

function bodyWords(body: ExampleBody | undefined, content: Content, components: Components): string[] {
  if (body === undefined) return [];
  if ('parts' in body) return body.parts.map((part) => `-F ${quoted(partText(part))}`);
  if ('base64' in body) return ['--data-binary @content'];
  const example = content[body.type]?.examples[body.example];
  if (example === undefined) throw new Error(`${body.type} has no example ${body.example}`);
  const { value } = components.example(example);
  if (body.type === 'application/x-www-form-urlencoded')
    return Object.entries(value as Record<string, string>).map(
      ([name, text]) => `--data-urlencode ${quoted(`${name}=${filled(text)}`)}`,
    );
  const text = body.type === 'application/json' ? JSON.stringify(value) : exampleText(value);
  return [`--data-binary ${quoted(text)}`];
}

function partText(part: ExamplePart): string {
  return 'filename' in part
    ? `${part.name}=@${part.filename};type=${part.type}`
    : `${part.name}=${part.value}`;
}

/** As one word for a POSIX shell; our variables in it are filled in by the shell, and nothing else. */
function quoted(text: string): string {
  if (!VARIABLE.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `"${text.replace(/["\\`]|\$(?!OWNER_TOKEN\b|ADMIN_PASSWORD\b)/g, '\\$&')}"`;
}

const VARIABLE = /\$(?:OWNER_TOKEN|ADMIN_PASSWORD)\b/;
