import { RESPONSE_HEADERS } from '../../../openapi/headers.ts';
import type {
  ApiDocument,
  Example,
  ExampleBody,
  ExamplePart,
  ExampleRequest,
  Header,
  MediaType,
  Operation,
  Parameter,
  Reference,
  Response,
} from '../../../openapi/operation.ts';
import { SAMPLE } from '../../../openapi/samples.ts';
import { exampleOf, nameOf, typeText } from './schema-text.ts';

interface Surroundings {
  baseUrl: string;
  components: Components;
  /** Headers that are said elsewhere, as nearly every answer has them. */
  usualHeaders: ReadonlySet<string>;
}

/** All there is to know of an operation, as markdown. */
export function operationText(addressed: Addressed, around: Surroundings): string {
  const { method, path, operation } = addressed;
  const { components } = around;
  const parameters = operation.parameters
    .map(components.parameter)
    .filter(({ name }) => name !== 'User-Agent')
    .map(parameterLine);
  const responses = Object.entries(operation.responses).map(
    ([status, response]) => [Number(status), components.response(response)] as const,
  );
  const example = operation['x-example-requests'].find(({ status }) => status < 400 && status !== 304);
  const answers = responses.filter(([status]) => status < 400);
  const errors = responses.filter(([status]) => status >= 400);
  return [
    `### ${method} ${path}\n\n${operation.summary}. ${operation.description}\n`,
    parameters.length === 0 ? null : `Parameters:\n\n${parameters.join('\n')}\n`,
    bodyText(addressed, components),
    example === undefined
      ? null
      : `Example (${lowerFirst(example.summary)}):\n\n${codeBlock(curlCommand(addressed, example, around), 'sh')}`,
    ...answers.map(([status, response]) => answerText(status, response, around)),
    `Errors:\n\n${errors.map(([status, response]) => errorLine(status, response)).join('\n')}\n`,
  ]
    .filter((part) => part !== null)
    .join('\n');
}

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);

function parameterLine({ name, in: place, required, description, schema, example }: Parameter): string {
  const shown = example ?? exampleOf(schema);
  const sample = shown === undefined ? '' : ` For example \`${[shown].flat().map(exampleText).join(',')}\`.`;
  return `- \`${name}\` (${place}, ${typeText(schema)}${required ? ', required' : ''}): ${description}${sample}`;
}

function bodyText({ operation }: Addressed, components: Components): string | null {
  const { requestBody } = operation;
  if (requestBody === undefined) return null;
  const { description, required, content } = requestBody;
  const says = [required ? null : 'Optional.', description].filter(Boolean).join(' ');
  return `Body${says === '' ? '' : ` (${says.replace(/\.$/, '')})`}:\n\n${contentText(content, components)}`;
}

/** Each media type with what it holds and an example. */
function contentText(content: Record<string, MediaType>, components: Components): string {
  return Object.entries(content)
    .map(([type, { schema, examples }]) => {
      const [first] = Object.values(examples);
      const value = first === undefined ? undefined : components.example(first);
      const note = value?.summary === undefined ? '' : ` ${value.summary}:`;
      const example = value === undefined ? '' : `\n${codeBlock(exampleText(value.value))}`;
      return `\`${type}\`: ${typeText(schema)}.${note}\n${example}`;
    })
    .join('\n');
}

function answerText(
  status: number,
  { description, headers, content }: Response,
  around: Surroundings,
): string {
  const names = Object.keys(headers).filter((name) => !around.usualHeaders.has(name));
  const carried = names.length === 0 ? '' : ` Headers: ${names.map((name) => `\`${name}\``).join(', ')}.`;
  const body = content === undefined ? '' : `\n${contentText(content, around.components)}`;
  return `Answer ${status}: ${description}${carried}\n${body}`;
}

/** An error's body has the one shape of all errors; here are the codes that it can have. */
function errorLine(status: number, { content }: Response): string {
  const schema = content?.['application/json']?.schema as
    | { allOf?: Array<{ properties?: { code?: { enum?: string[] } } }> }
    | undefined;
  const codes = schema?.allOf?.flatMap((part) => part.properties?.code?.enum ?? []) ?? [];
  return `- ${status}${codes.length === 0 ? '' : `: ${codes.map((code) => `\`${code}\``).join(', ')}`}`;
}

/** Values that an example leaves open: the reader sets them as variables of the shell. */
const VALUES: Readonly<Record<string, string>> = {
  ownerToken: '$OWNER_TOKEN',
  adminPassword: '$ADMIN_PASSWORD',
  url: SAMPLE.url,
  etag: String(exampleOf(RESPONSE_HEADERS.ETag.schema)),
};

/** A request that shows an operation at work, as a command. */
function curlCommand(
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

/** Quotes a text as one word for a POSIX shell; our variables in it are filled in by the shell, and nothing else. */
function quoted(text: string): string {
  if (!VARIABLE.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `"${text.replace(/["\\`]|\$(?!OWNER_TOKEN\b|ADMIN_PASSWORD\b)/g, '\\$&')}"`;
}

const VARIABLE = /\$(?:OWNER_TOKEN|ADMIN_PASSWORD)\b/;

/** A fenced block of markdown, whatever is in the text. */
export function codeBlock(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}\n`;
}

/** A value of an example as it would be sent. */
const exampleText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Reads parts of a document that may stand among its components. */
interface Components {
  parameter(part: Parameter | Reference): Parameter;
  header(part: Header | Reference): Header;
  example(part: Example | Reference): Example;
  response(part: Response | Reference): Response;
}

export function componentsOf({ components }: ApiDocument): Components {
  const find = <P extends object>(group: Record<string, P>, part: P | Reference): P => {
    if (!('$ref' in part)) return part;
    const found = group[nameOf(part)];
    if (found === undefined) throw new Error(`the document has no ${part.$ref}`);
    return found;
  };
  return {
    parameter: (part) => find<Parameter>(components.parameters, part),
    header: (part) => find<Header>(components.headers, part),
    example: (part) => find<Example>(components.examples, part),
    response: (part) => find<Response>(components.responses as Record<string, Response>, part),
  };
}

/** An operation with its address. */
interface Addressed {
  /** Method in capitals. */
  method: string;
  path: string;
  operation: Operation;
}

export const operationsOf = ({ paths }: ApiDocument): Addressed[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
