import { hashOwnerToken } from '../../services/gateway/auth/owner-token.ts';
import type { Need } from '../../services/gateway/openapi/operation.ts';
import { SITE_ZIP_BASE64 } from '../../services/gateway/openapi/samples.ts';

/** The value of `{adminPassword}` in examples. */
export const EXAMPLE_ADMIN_PASSWORD = 'correct horse battery staple';

/** An item made for an example: what fills its path, and what stands in its values. */
export interface ExampleItem {
  path: Record<string, string>;
  values: Record<string, string>;
}

const HEADERS = { 'User-Agent': 'PerchExamples/1.0' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

const notes = (): FormData => {
  const form = new FormData();
  form.append('file', new File(['# Launch\n\nWe go live.\n'], 'notes.md', { type: 'text/markdown' }));
  return form;
};

const creates: Record<
  Exclude<Need, 'report' | 'block' | 'blocked content' | 'html with a domain'>,
  () => { kind: string; init: RequestInit }
> = {
  html: () => ({ kind: 'html', init: { body: '<h1>Launch</h1>', headers: { 'Content-Type': 'text/html' } } }),
  'locked html': () => ({
    kind: 'html',
    init: {
      body: '<h1>Launch</h1>',
      headers: { 'Content-Type': 'text/html', 'X-Password': 'correct horse' },
    },
  }),
  kv: () => ({
    kind: 'kv',
    init: { body: JSON.stringify({ key: 'greeting', value: 'Hello' }), headers: JSON_TYPE },
  }),
  json: () => ({ kind: 'json', init: { body: JSON.stringify({ name: 'Perch' }), headers: JSON_TYPE } }),
  file: () => ({ kind: 'files', init: { body: notes() } }),
  site: () => ({
    kind: 'sites',
    init: { body: Buffer.from(SITE_ZIP_BASE64, 'base64'), headers: { 'Content-Type': 'application/zip' } },
  }),
};

/** Creates what an example needs on a running Perch; `more` goes with the create. */
export async function createItem(
  baseUrl: string,
  need: Need,
  more: { query?: string; headers?: Record<string, string> } = {},
): Promise<ExampleItem> {
  if (need === 'report') return await submitReport(baseUrl);
  if (need === 'block') return await addBlock(baseUrl);
  if (need === 'blocked content') return await blockContent(baseUrl);
  if (need === 'html with a domain')
    return await withDomain(baseUrl, await createItem(baseUrl, 'html', more));
  const { kind, init } = creates[need]();
  const own = init.headers as Record<string, string> | undefined;
  const headers = { ...HEADERS, ...own, ...more.headers };
  const address = `${baseUrl}/api/${kind}${more.query ?? ''}`;
  const response = await fetch(address, { ...init, method: 'POST', headers });
  if (response.status !== 201) throw new Error(`no ${need}: ${response.status} ${await response.text()}`);
  const { namespace, id, shortUrl, ownerToken } = (await response.json()) as Record<string, string>;
  const code = shortUrl?.split('/').at(-1) ?? '';
  return {
    path: {
      ns: namespace ?? '',
      id: id ?? '',
      name: `${id}.png`,
      code,
      key: 'greeting',
      ownerId: hashOwnerToken(ownerToken ?? ''),
    },
    values: { ownerToken: ownerToken ?? '' },
  };
}

async function withDomain(baseUrl: string, item: ExampleItem): Promise<ExampleItem> {
  const { ns, id } = item.path;
  const response = await fetch(`${baseUrl}/api/${ns}/${id}/domain`, {
    method: 'PUT',
    headers: { ...HEADERS, ...JSON_TYPE, 'X-Owner-Token': item.values.ownerToken ?? '' },
    body: JSON.stringify({ domain: 'www.example.org' }),
  });
  if (response.status !== 200) throw new Error(`no domain: ${response.status} ${await response.text()}`);
  return item;
}

async function submitReport(baseUrl: string): Promise<ExampleItem> {
  const report = { reportedUrl: baseUrl, category: 'spam', description: 'It advertises things.' };
  const init = { method: 'POST', body: JSON.stringify(report), headers: { ...HEADERS, ...JSON_TYPE } };
  const response = await fetch(`${baseUrl}/api/reports`, init);
  if (response.status !== 201) throw new Error(`no report: ${response.status} ${await response.text()}`);
  const { reportId } = (await response.json()) as { reportId: string };
  return { path: { id: reportId }, values: {} };
}

/** Blocks nobody who sends examples. */
async function addBlock(baseUrl: string): Promise<ExampleItem> {
  const block = { ip: '192.0.2.0/24', reason: 'It is an example.' };
  const headers = { ...HEADERS, ...JSON_TYPE, 'X-Admin-Password': EXAMPLE_ADMIN_PASSWORD };
  const init = { method: 'POST', body: JSON.stringify(block), headers };
  const response = await fetch(`${baseUrl}/api/admin/blocklist`, init);
  if (response.status !== 201) throw new Error(`no entry: ${response.status} ${await response.text()}`);
  const { id } = (await response.json()) as { id: string };
  return { path: { id }, values: {} };
}

async function blockContent(baseUrl: string): Promise<ExampleItem> {
  const hash = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex');
  const block = { sha256: hash, reason: 'It is an example.' };
  const headers = { ...HEADERS, ...JSON_TYPE, 'X-Admin-Password': EXAMPLE_ADMIN_PASSWORD };
  const init = { method: 'POST', body: JSON.stringify(block), headers };
  const response = await fetch(`${baseUrl}/api/admin/blocked-content`, init);
  if (response.status !== 201) throw new Error(`no block: ${response.status} ${await response.text()}`);
  return { path: { hash }, values: {} };
}
