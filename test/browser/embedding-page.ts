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
