import { describe, expect, test } from 'bun:test';
import { raw, shortPath } from './support/client.ts';
import { usePerch } from './support/perch.ts';

const perch = usePerch({ env: { SHOW_TOP_BAR_DEFAULT: 'true' } });

const CONTENT = '<main>content</main>';

describe('where the server shows the top bar by default', () => {
  for (const type of ['text/html', 'text/markdown', 'text/css']) {
    test(`a page that says nothing has it (${type})`, async () => {
      const page = await perch.publish(raw(CONTENT, type, { query: { title: 'A <b>title</b>' } }));
      const view = await perch.read(page);
      expect(view.headers.get('X-Show-Top-Bar')).toBe('true');
      const body = await view.text();
      expect(body).toContain('A &lt;b&gt;title&lt;/b&gt;');
      expect(body.toUpperCase()).toContain(page.format);
      expect(body).toContain(`${shortPath(page)}?dl=true`);
      expect(body).toContain('/report?item=');
      expect(body).toMatch(/theme/i);

      const head = await perch.read(page, { method: 'HEAD' });
      expect(head.headers.get('X-Show-Top-Bar')).toBe('true');
      expect(Number(head.headers.get('Content-Length'))).toBe(Buffer.byteLength(body));
    });

    test(`what was stored is without it (${type})`, async () => {
      const page = await perch.publish(raw(CONTENT, type));
      for (const query of [{ raw: true }, { dl: true }]) {
        const stored = await perch.read(page, { query });
        expect(stored.headers.get('X-Show-Top-Bar')).toBe('true');
        expect(await stored.text()).toBe(CONTENT);
      }
    });

    test(`a page may say that it wants none (${type})`, async () => {
      const page = await perch.publish(raw(CONTENT, type, { query: { showTopBar: false } }));
      const view = await perch.read(page);
      expect(view.headers.get('X-Show-Top-Bar')).toBe('false');
      expect(await view.text()).not.toContain('<perch-bar');
    });
  }

  test('its ETag is another than that of the page without it', async () => {
    const pages = [
      await perch.publish(CONTENT),
      await perch.publish(CONTENT, { query: { showTopBar: false } }),
    ];
    const etags = await Promise.all(pages.map(async (page) => (await perch.read(page)).headers.get('ETag')));
    expect(etags[0]).not.toBe(etags[1]);
  });
});
