import { expect, test } from 'bun:test';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { OPERATIONS } from './schemas.ts';
import { TOOLS } from './tools.ts';

/** Operations that no tool calls, and why. */
const NO_TOOLS: Record<string, string[]> = {
  'delete_resource removes an item of any kind': [
    ...['removePage', 'removeStore', 'removeDocument', 'removeFile', 'removeSite'],
  ],
  'list_mine lists items of every kind, search_gallery takes the kind': [
    ...[
      'listPages',
      'listStores',
      'listDocuments',
      'listFiles',
      'listSites',
      'listGalleryPages',
      'listGalleryFiles',
    ],
  ],
  'a tool publishes what anybody may read, where the server has it by default': [
    ...['readPageHosting', 'readStoreHosting', 'readDocumentHosting', 'readFileHosting', 'readSiteHosting'],
    ...['changePageHosting', 'changeStoreHosting', 'changeDocumentHosting', 'changeFileHosting'],
  ],
  'people set the record that proves a domain': ['setDomain', 'readDomain', 'removeDomain'],
  'publishing makes a token': ['createOwnerToken', 'getOwnerToken'],
  'a model sets the value that it has worked out, on the version that it has read': [
    'incrementKey',
    'appendToKey',
  ],
  'a model reads what is meant for one: the source, not a file’s bytes or the rendered page': [
    ...['readFile', 'readSite', 'readSiteFile', 'readSiteArchive', 'readPageSource', 'readPageSettings'],
  ],
  'a read or a change says so by its error': ['checkOwner'],
  'pictures of the gallery’s page are for people': ['readGalleryPicture'],
  'figures over time are for charts': ['readHistory', 'readItemStats'],
  'a random namespace is the default': ['suggestNamespaces'],
  'for people at a shell': ['putFile', 'putText'],
  'for people at a browser': [
    ...[
      'showHome',
      'showMine',
      'showManage',
      'showEdit',
      'showPreviewFrame',
      'showGallery',
      'showStats',
      'showDocs',
      'showReportForm',
      'submitReportForm',
      'unlock',
    ],
    ...['resolve', 'resolvePart', 'followShortCode', 'readFavicon', 'readAsset'],
  ],
  'what should be reported, a person decides': ['submitReport'],
  'for crawlers, supervisors and programmers': [
    ...[
      'knowsHost',
      'readHealth',
      'readReadiness',
      'readMetrics',
      'readLlms',
      'readLlmsFull',
      'readRobots',
      'readSitemap',
    ],
    ...[
      'readDocs',
      'readIndexNowKey',
      'mcp',
      'readSitemapInApi',
      'readPreviewPage',
      'previewPage',
      'readPreviewPicture',
      'readOpenApiJson',
      'readOpenApiYaml',
      'readApiDocs',
    ],
  ],
};

const called = new Set(TOOLS.flatMap(({ operations }) => operations as string[]));

test('there are the tools that were agreed upon', () => {
  expect(TOOLS.map(({ name }) => name).toSorted()).toEqual(
    [
      ...['publish_html', 'update_html', 'get_page', 'publish_file', 'publish_site', 'republish_site'],
      ...['publish_json', 'get_json', 'update_json', 'publish_kv', 'set_kv', 'get_kv', 'delete_resource'],
      ...['search_gallery', 'get_stats', 'list_mine', 'renew', 'get_limits'],
    ].toSorted(),
  );
});

test('each operation of the interface belongs to a tool, or is deliberately no tool’s', () => {
  const ofUsers = OPERATIONS.filter(({ operation }) => operation.tags[0] !== 'Admin');
  const known = ofUsers.map(({ operation }) => operation.operationId);
  const excluded = Object.values(NO_TOOLS).flat();
  expect(excluded.filter((id) => called.has(id))).toEqual([]);
  expect([...called, ...excluded].toSorted()).toEqual(known.toSorted());
});

test('schemas of arguments and results are valid, and whole', () => {
  for (const { name, input, output, description } of TOOLS) {
    const ajv = new Ajv2020({ strict: false });
    addFormats(ajv);
    for (const schema of [input, output]) {
      expect([name, JSON.stringify(schema).includes('$ref')]).toEqual([name, false]);
      expect([name, schema.type, schema.additionalProperties]).toEqual([name, 'object', false]);
      ajv.compile(JSON.parse(JSON.stringify(schema)));
    }
    expect([name, description.length > 40]).toEqual([name, true]);
  }
});

test('an argument that several tools take says of each what it is when it is left out', () => {
  const saidOf = (name: string, argument: string): string =>
    TOOLS.find((tool) => tool.name === name)?.input.properties[argument]?.description ?? '';
  for (const [name, title] of [
    ['publish_html', 'taken from the content by default'],
    ['publish_site', 'taken from the content by default'],
    ['publish_file', 'the filename by default'],
    ['publish_json', 'none by default'],
    ['publish_kv', 'none by default'],
  ] as const) {
    expect([name, saidOf(name, 'title')]).toEqual([name, expect.stringContaining(title)]);
    expect([name, saidOf(name, 'ttlDays')]).toEqual([name, expect.stringContaining('15 by default')]);
  }
  expect(saidOf('renew', 'ttlDays')).toContain('as many as before by default');
});
