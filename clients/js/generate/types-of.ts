import openapiTS, { astToString } from 'openapi-typescript';
import { reduceDocument } from './reduce-document.ts';

const HEAD = `// Made from the OpenAPI document by \`npm run clients:types\`; a test compares the two. Do not edit.

`;

/** Where the types of the client are kept. */
export const TYPES_FILE = new URL('../src/api.gen.ts', import.meta.url);

/** The types of an OpenAPI document, as the text of a module. */
export async function typesOf(document: unknown): Promise<string> {
  const nodes = await openapiTS(JSON.stringify(reduceDocument(document)), { alphabetize: true });
  return HEAD + astToString(nodes);
}
