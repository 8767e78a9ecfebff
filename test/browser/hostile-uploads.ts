import { HOSTILE_FILES, type HostileFile, TRACE } from '../hostile/files.ts';
import { publish } from './publish.ts';
import { type SiteFiles, uploadFile, uploadSite } from './uploads.ts';

/** A hostile file that is served, and where. */
export interface HostileUpload extends HostileFile {
  /** The media type it is served as, without parameters. */
  mediaType: string;
  path: string;
}

/** Every hostile file that Perch admits. */
const OPENED = HOSTILE_FILES.filter(({ expected }) => expected.status === 201);

/** Contents with a script: those that are text, and the others. */
const SCRIPTED = OPENED.map(({ bytes }) => bytes).filter((bytes) => Buffer.from(bytes).includes(TRACE));
const TEXTS = SCRIPTED.map((bytes) => Buffer.from(bytes).toString()).filter(
  (text) => !/[\uFFFD\0]/.test(text),
);

/** Uploads them. */
export async function uploadHostileFiles(baseUrl: string): Promise<HostileUpload[]> {
  const uploads: HostileUpload[] = [];
  for (const file of OPENED) {
    const { path } = await uploadFile(baseUrl, file.filename, file.bytes);
    const mediaType = file.expected.contentType?.split(';')[0] ?? '';
    uploads.push({ ...file, path, mediaType });
  }
  return uploads;
}

/** Names whose content browsers run. */
const ACTIVE_NAMES = ['index.html', 'page.htm', 'page.svg', 'page.xml', 'page.xhtml'];

/** Every content as a page, and text under every name that browsers run, in one site: the paths of its files. */
export async function uploadHostileSite(baseUrl: string): Promise<string[]> {
  const files: SiteFiles = {};
  for (const [index, bytes] of SCRIPTED.entries()) files[`page/${index}/index.html`] = bytes;
  for (const [index, text] of TEXTS.entries())
    for (const name of ACTIVE_NAMES) files[`text/${index}/${name}`] = text;
  const { path } = await uploadSite(baseUrl, files, { query: { entry: 'page/0/index.html' } });
  return Object.keys(files).map((name) => `${path}/${name}`);
}

/** Text as HTML pages, with and without the top bar, and as XML as it is: their paths. */
export async function publishHostilePages(baseUrl: string): Promise<string[]> {
  const paths: string[] = [];
  for (const text of TEXTS) {
    const page = await publish(baseUrl, text, { query: { format: 'html', showTopBar: 'false' } });
    const barred = await publish(baseUrl, text, { query: { format: 'html', showTopBar: 'true' } });
    const xml = await publish(baseUrl, text, { type: 'application/xml' });
    paths.push(page.path, barred.path, `${xml.path}?raw=true`);
  }
  return paths;
}

/** How an upload fared as a part of a hosted page: `loaded`, `refused`, the name of an error, or nothing heard of it. */
export interface Embedded {
  path: string;
  script: string;
  moduleImport: string;
  style: string;
  image: string;
  worker: string;
  serviceWorker: string;
}

/** A page that takes uploads in by every way there is, and writes down in `#found` how they fared. */
export const embeddingPage = (paths: string[]): string => `<!doctype html><title>Embeds</title>
${paths
  .map(
    (path) => `<iframe src="${path}"></iframe><object data="${path}"></object><embed src="${path}">
<object type="text/html" data="${path}?raw=true"></object>`,
  )
  .join('\n')}
<pre id="found"></pre>
<script type="module">
  const element = (name, attributes) => new Promise((resolve) => {
    const part = Object.assign(document.createElement(name), attributes);
    part.onload = () => resolve('loaded');
    part.onerror = () => resolve('refused');
    document.body.append(part);
  });
  const attempt = async (action) => {
    try { return await action(); } catch (error) { return error.name; }
  };
  const startWorker = (path) => new Promise((resolve) => {
    const worker = new Worker(path);
    worker.onerror = () => resolve('refused');
    setTimeout(resolve, 1000, 'silent');
  });
  const embed = async (path) => ({
    path,
    script: await attempt(() => element('script', { src: path })),
    moduleImport: await attempt(() => import(path).then(() => 'loaded')),
    style: await attempt(() => element('link', { rel: 'stylesheet', href: path })),
    image: await attempt(() => element('img', { src: path })),
    worker: await attempt(() => startWorker(path)),
    serviceWorker: await attempt(() => navigator.serviceWorker.register(path).then(() => 'registered')),
  });
  const found = await Promise.all(${JSON.stringify(paths)}.map(embed));
  document.getElementById('found').textContent = JSON.stringify(found);
</script>`;
