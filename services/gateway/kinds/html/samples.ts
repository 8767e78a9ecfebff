import { Type } from '@sinclair/typebox';
import type { MediaType } from '../../openapi/operation.ts';
import { PAGE_TEXT } from '../../openapi/text-patterns.ts';

/** The page of the examples, as its owner wrote it. */
export const MARKDOWN = '# Launch\n\nWe go live on **Monday**.\n';
export const HTML = '<!doctype html>\n<title>Launch</title>\n<h1>Launch</h1>\n<p>We go live on Monday.</p>\n';
export const PAGE = { format: 'MARKDOWN', title: 'Launch', filename: 'launch.md' };

const pageBody = (type: string, value: string, name: string): Record<string, MediaType> => ({
  [type]: { schema: Type.String(PAGE_TEXT), examples: { [name]: { value } } },
});

/** The raw bodies (specification 4.2), each with an example. */
export const RAW: Record<string, MediaType> = {
  ...pageBody('text/html', HTML, 'html'),
  ...pageBody('text/markdown', MARKDOWN, 'markdown'),
  ...pageBody('text/plain', 'We go live on Monday.\n', 'plain'),
  ...pageBody('text/yaml', 'launch: Monday\n', 'yaml'),
  ...pageBody('text/xml', '<launch day="Monday"/>\n', 'xml'),
  ...pageBody('text/csv', 'what,when\nlaunch,Monday\n', 'csv'),
  ...pageBody('text/css', 'body { color: teal }\n', 'css'),
  ...pageBody('text/javascript', "console.log('Monday');\n", 'javascript'),
  ...pageBody('text/x-toml', 'launch = "Monday"\n', 'toml'),
  ...pageBody('application/xml', '<launch day="Monday"/>\n', 'xml'),
  ...pageBody('application/yaml', 'launch: Monday\n', 'yaml'),
  ...pageBody('application/x-yaml', 'launch: Monday\n', 'yaml'),
  ...pageBody('application/javascript', "console.log('Monday');\n", 'javascript'),
  ...pageBody('application/toml', 'launch = "Monday"\n', 'toml'),
  ...pageBody('application/octet-stream', 'We go live on Monday.\n', 'text'),
};
