import { describe, expect, test } from 'bun:test';
import { jsonOf, ownedBy, type Published, type RequestOptions, raw } from './support/client.ts';
import { sharePerch } from './support/perch.ts';
import { publishSite } from './support/site-client.ts';

const perch = sharePerch();

interface Result {
  code: string;
  action: string;
  reason?: string;
  extras?: { isOwner?: boolean; localAssetRefs?: string[] };
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
      ...{ code: 'warned', action: 'created_missing_assets' },
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
