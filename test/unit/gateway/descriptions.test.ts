import { expect, test } from 'bun:test';
import { descriptionHtml } from '../../../services/gateway/web/browser/descriptions.ts';

test('a description is markdown, in which tags stand for themselves', () => {
  expect(descriptionHtml('Has `a` and [b](/c).')).toBe('<p>Has <code>a</code> and <a href="/c">b</a>.</p>');
  expect(descriptionHtml('An <img src=x onerror=alert(1)> & <b>b</b>')).toBe(
    '<p>An &lt;img src=x onerror=alert(1)&gt; &amp; &lt;b&gt;b&lt;/b&gt;</p>',
  );
  expect(descriptionHtml('<script>alert(1)</script>')).not.toContain('<script>');
});
