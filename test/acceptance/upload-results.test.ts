import { describe, expect, test } from 'bun:test';
import { jsonOf, ownedBy, type Published, type RequestOptions, raw } from './support/client.ts';
import { sharePerch } from './support/perch.ts';
import { archiveOf, publishSite, type SiteFiles, siteApiPath } from './support/site-client.ts';

const perch = sharePerch();

interface Result {
  code: string;
  action: string;
  reason?: string;
  extras?: { isOwner?: boolean; localAssetRefs?: string[]; rootRefs?: string[]; storage?: string[] };
}
type WithResult = Published & { result: Result };

const publish = async (content: string, options: RequestOptions = {}, type = 'text/html') =>
  (await jsonOf<WithResult>(await perch.post(raw(content, type, options)), 201)).result;

const CREATED = { code: 'success', action: 'created' };

test('a page and a site that are what was meant are plainly created', async () => {
  expect(await publish('<p>whole')).toEqual(CREATED);
  expect(await publish('![not here](bird.png)', {}, 'text/markdown')).toEqual(CREATED);
  expect(await publish('<img src="text.png">', { query: { format: 'text' } })).toEqual(CREATED);
  const site = await publishSite(perch, { 'index.html': '<img src="bird.png">', 'bird.png': 'x' });
  expect((site as unknown as WithResult).result).toEqual(CREATED);
});

test('a repost is told apart from a create', async () => {
  const first = await perch.publish('<p>again', {
    headers: { 'X-Owner-Token': `token ${crypto.randomUUID()}` },
  });
  const again = await publish('<p>again', ownedBy(first));
  expect(again).toMatchObject({ code: 'duplicate', action: 'merged', extras: { isOwner: true } });
  const repeated = { query: { ns: 'results' }, headers: { 'Idempotency-Key': crypto.randomUUID() } };
  expect([await publish('<p>key', repeated), await publish('<p>key', repeated)]).toEqual([CREATED, CREATED]);
});

describe('a page that loads files beside it', () => {
  test('is published with a warning that names them', async () => {
    const html = `<link rel=stylesheet href="css/main.css"><link rel="icon" href="favicon.ico">
      <style>body { background: url(img/back.png) } @import "more.css";</style>
      <img src="a.png" srcset="b.png 2x, c.png 3x"><video poster='still.jpg' src=/clip.mp4></video>
      <script src="./app.js"></script><p style="background:url('inline.png')"><img src="a.png">
      <img src="https://example.org/x.png"><img src="//example.org/y.png"><img src="data:image/gif;base64,R0">
      <a href="other.html">x</a><script>'<img src="no.png">'</script><!-- <img src="nor.png"> -->`;
    const { reason, ...rest } = await publish(html);
    expect(rest).toEqual({
      code: 'warned',
      action: 'created_missing_assets',
      extras: {
        localAssetRefs: [
          ...[
            'css/main.css',
            'img/back.png',
            'more.css',
            'a.png',
            'b.png',
            'c.png',
            '/clip.mp4',
            'still.jpg',
          ],
          ...['./app.js', 'inline.png'],
        ],
      },
    });
    expect(reason).toContain('/api/sites');
  });

  test('names fifty of them at the most', async () => {
    for (const count of [50, 51, 500]) {
      const html = Array.from({ length: count }, (_, n) => `<img src="${n}.png">`).join('');
      expect((await publish(html)).extras?.localAssetRefs).toHaveLength(50);
    }
  });

  test('warns in every way a page comes', async () => {
    const content = '<img src="a.png">';
    const inJson = await jsonOf<WithResult>(await perch.post({ json: { content } }), 201);
    expect(inJson.result.action).toBe('created_missing_assets');
    expect((await publish(content, { query: { title: 'plain' } }, 'text/plain')).action).toBe(
      'created_missing_assets',
    );
  });
});

test('a page in JSON that is HTML by default alone, and has no tag, is published with a warning', async () => {
  const inJson = async (json: object, query = {}) =>
    (await jsonOf<WithResult>(await perch.post({ json, query }), 201)).result;
  const content = '# Launch\n\n- **one**\n- 1 < 2 & 3 > 2\n';
  for (const format of [undefined, '']) {
    const { reason, ...rest } = await inJson({ content, format });
    expect(rest).toEqual({ code: 'warned', action: 'created_warned' });
    expect(reason).toContain('"markdown" or "text"');
  }
  for (const format of ['html', 'markdown', 'text'])
    expect(await inJson({ content, format })).toEqual(CREATED);
  expect(await inJson({ content }, { format: 'html' })).toEqual(CREATED);
  for (const html of ['<p>x', 'a<br>b', 'x</p>', '<!-- c -->'])
    expect(await inJson({ content: html })).toEqual(CREATED);
  expect(await publish(content)).toEqual(CREATED);
});

describe('a site that was built for the root of a host', () => {
  const site = async (files: SiteFiles): Promise<WithResult> =>
    (await publishSite(perch, files)) as unknown as WithResult;
  const BUILT = {
    'index.html': `<!doctype html><script src="/assets/app.js"></script><link rel=stylesheet href='/assets/app.css'>
      <a href="/about">x</a><a href="/">home</a><img src="//example.org/x.png"><img src="here.png"><a href="https://p.example/y">y</a>`,
    'assets/app.js': 'localStorage.getItem("theme")',
    'assets/app.css': 'p { color: red }',
    'notes.txt': 'localStorage is not used here, nor is href="/this"',
  };

  test('is published with a warning of addresses and storage that are not there', async () => {
    const { result } = await site(BUILT);
    const { reason, ...rest } = result;
    expect(rest).toEqual({
      code: 'warned',
      action: 'created_warned',
      extras: { rootRefs: ['/assets/app.js', '/assets/app.css', '/about'], storage: ['assets/app.js'] },
    });
    expect(reason).toContain('relative addresses');
    expect(reason).toContain('localStorage');
  });

  test('is warned of its addresses without quotes, and of no expression in its scripts', async () => {
    const html = `<!doctype html><script src=/app.js></script><link rel=stylesheet href=/app.css media=all><a href=/about/>x</a>
      <a href=/>home</a><img src=//example.org/x.png><img src=here.png><script>let src=/b+/; const href=/c/.test(src)</script>`;
    const { extras } = (await site({ 'index.html': html })).result;
    expect(extras).toEqual({ rootRefs: ['/app.js', '/app.css', '/about/'] });
  });

  test('is replaced with the same warning, and without one when it is mended', async () => {
    const published = await site({ 'index.html': '<p>x' });
    expect(published.result).toEqual(CREATED);
    const replace = async (files: SiteFiles): Promise<Result> => {
      const body = raw(archiveOf(files), 'application/zip', ownedBy(published));
      const answer = await perch.request(siteApiPath(published), { method: 'PUT', ...body });
      return (await jsonOf<WithResult>(answer)).result;
    };
    expect(await replace(BUILT)).toMatchObject({ code: 'warned', action: 'updated' });
    expect(await replace({ 'index.html': '<script src="./app.js"></script>', 'app.js': '1' })).toEqual({
      code: 'success',
      action: 'updated',
    });
  });

  test('names fifty addresses at the most', async () => {
    for (const [count, named] of [
      [50, 50],
      [51, 50],
      [5_000, 50],
    ] as const) {
      const html = Array.from({ length: count }, (_, n) => `<img src="/${n}.png">`).join('');
      expect((await site({ 'index.html': html })).result.extras?.rootRefs).toHaveLength(named);
    }
  });
});
