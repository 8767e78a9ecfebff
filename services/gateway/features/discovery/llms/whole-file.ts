import { LIMITS } from '../../../../../shared/items/item.ts';
import { COMMON_HEADERS } from '../../../openapi/headers.ts';
import type { ApiDocument } from '../../../openapi/operation.ts';
import { codeBlock, componentsOf, operationsOf, operationText } from './operation-text.ts';
import { schemaText } from './schema-text.ts';

/** The limits of one client address; 0 means none. */
export interface Rates {
  uploadsPerHour: number;
  readsPerMinute: number;
  changesPerHour: number;
}

const RATE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** The whole interface as markdown for a language model: the interface document in words, always the same for the same. */
export function wholeFile(document: ApiDocument, rates: Rates): string {
  const { info, servers, tags, components } = document;
  const baseUrl = servers[0]?.url ?? '';
  const around = {
    baseUrl,
    components: componentsOf(document),
    usualHeaders: new Set<string>([...COMMON_HEADERS, ...RATE_HEADERS]),
  };
  const operations = operationsOf(document);
  const sections = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags[0] === name);
    return `## ${name}\n\n${description}\n\n${own.map((one) => operationText(one, around)).join('\n')}`;
  });
  return [
    `# ${info.title} API ${info.version}\n\n> ${info.summary}\n\nBase URL: ${baseUrl}\n\n${info.description}\n`,
    addressList(operations),
    limitsText(rates),
    errorsText(document, around.components),
    ...sections,
    `## Response headers\n\n${headerLines(document)}\n`,
    `## Schemas\n\nFields are always there unless they are optional.\n\n${Object.entries(components.schemas)
      .map(([name, schema]) => schemaText(name, schema))
      .join('\n')}`,
  ].join('\n');
}

const addressList = (operations: ReturnType<typeof operationsOf>): string =>
  `## Addresses\n\n${operations.map(({ method, path, operation }) => `- \`${method} ${path}\`: ${operation.summary}`).join('\n')}\n`;

const megabytes = (bytes: number): string => `${bytes / 1_048_576} MB`;
const rate = (count: number, unit: string): string => (count === 0 ? 'unlimited' : `${count} ${unit}`);

function limitsText({ uploadsPerHour, readsPerMinute, changesPerHour }: Rates): string {
  const limits: Array<[string, string]> = [
    ['Creates and reports from one address', rate(uploadsPerHour, 'an hour')],
    ['Reads of items, lists and the gallery from one address', rate(readsPerMinute, 'a minute')],
    ['Updates and deletes from one address', rate(changesPerHour, 'an hour')],
    ['Time to live', `${LIMITS.ttlDaysMin} to ${LIMITS.ttlDaysMax} days, default ${LIMITS.ttlDaysDefault}`],
    ['Page', megabytes(LIMITS.htmlBytes)],
    ['JSON document', `${megabytes(LIMITS.jsonBytes)}, nested up to ${LIMITS.jsonDepth} levels`],
    ['JSON documents in a namespace (in `public`: of an owner)', String(LIMITS.jsonPerCollection)],
    ['Value of a key', megabytes(LIMITS.kvValueBytes)],
    ['Keys in a store', String(LIMITS.kvKeys)],
    ['File', `${megabytes(LIMITS.fileBytes)}; video ${megabytes(LIMITS.videoBytes)}`],
    ['Files in a namespace (in `public`: of an owner)', String(LIMITS.filesPerNamespace)],
    ['Site', `${LIMITS.siteFiles} files of ${megabytes(LIMITS.siteFileBytes)} each`],
    ['Title and filename', `${LIMITS.titleCharacters} characters`],
    ['Tags', `${LIMITS.tags} of ${LIMITS.tagCharacters} characters each`],
  ];
  return `## Limits\n\n1 MB is 1,048,576 bytes.\n\n${limits.map(([name, value]) => `- ${name}: ${value}`).join('\n')}\n`;
}

function errorsText({ components }: ApiDocument, { example }: ReturnType<typeof componentsOf>): string {
  const samples = Object.values(components.examples).map(
    (part) => example(part).value as { status: number; code: string; message: string },
  );
  const lines = samples.map(({ status, code, message }) => `- ${status} \`${code}\`: ${message}`);
  return `## Errors\n\nEvery error of every address is JSON of this shape (schema Error). Tell them apart by \`code\`; \`message\` says what is wrong and what to do.\n\n${codeBlock(JSON.stringify(samples[0]), 'json')}\n${lines.join('\n')}\n`;
}

const headerLines = ({ components }: ApiDocument): string =>
  Object.entries(components.headers)
    .map(([name, { description }]) => {
      const everywhere = COMMON_HEADERS.some((common) => common === name);
      return `- \`${name}\`${everywhere ? ' (on every response)' : ''}: ${description}`;
    })
    .join('\n');
