import type { MediaType, Parameter, Response } from '../../../openapi/operation.ts';
import type { Addressed, Components } from './api-document.ts';
import { codeBlock, exampleText } from './code-block.ts';
import { curlCommand } from './curl-command.ts';
import { exampleOf, typeText } from './schema-text.ts';

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
