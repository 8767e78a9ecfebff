import { describe, expect, test } from 'bun:test';
import { HOSTILE_FILES } from '../hostile/files.ts';
import { jsonOf } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { NAVIGATION, type PublishedFile, postFile } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const CODES: Record<number, string> = {
  400: 'VALIDATION_FAILED',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'CONTENT_REJECTED',
};

/** Types that browsers would run as code without the policy. */
const ACTIVE = /^(?:text\/html|text\/xml|application\/xml|image\/svg\+xml)/;

/** Content never has the service's own origin (docs/architecture.md, "Isolation"). */
function expectIsolation({ headers }: Response, contentType: string): void {
  expect(headers.get('Content-Type')).toBe(contentType);
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(headers.get('Referrer-Policy')).toBe('no-referrer');
  const policy = headers.get('Content-Security-Policy') ?? '';
  if (contentType === 'application/pdf') expect(policy).toContain("default-src 'none'");
  else expect(policy).toMatch(/^sandbox( |;|$)/);
  expect(policy).not.toContain('allow-same-origin');
  if (ACTIVE.test(contentType) && !contentType.startsWith('text/html'))
    expect(policy).not.toContain('allow-scripts');
  expect(headers.has('Set-Cookie')).toBe(false);
  for (const value of headers.values()) expect(value).not.toMatch(/[\r\n]/);
}

/** A person's browser gets a page of ours, in which nothing of the file is markup. */
async function expectViewer(response: Response): Promise<void> {
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
  const policy = response.headers.get('Content-Security-Policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain("'unsafe-inline' 'self'");
  expect(await response.text()).not.toMatch(/<script>try|<img src=x|onload="try|onerror=alert\(1\)>/);
}

describe('a hostile file', () => {
  test('has many kinds', () => {
    expect(HOSTILE_FILES.length).toBeGreaterThan(100);
  });

  for (const { name, filename, bytes, expected } of HOSTILE_FILES) {
    test(`${expected.status}: ${name}`, async () => {
      const response = await postFile(perch, filename, bytes);
      if (expected.status !== 201) {
        await expectError(response, expected.status, CODES[expected.status] ?? '');
        return;
      }
      const file = await jsonOf<PublishedFile>(response, 201);
      const contentType = expected.contentType ?? '';
      expect(file.contentType).toBe(contentType);
      for (const query of [{}, { raw: true }, { dl: true }]) {
        const view = await perch.read(file, { query });
        expectIsolation(view, contentType);
        expect(await view.bytes()).toEqual(new Uint8Array(bytes));
      }
      expectIsolation(await perch.request(`/api/files/public/${file.id}`), contentType);
      await expectViewer(await perch.read(file, { headers: NAVIGATION }));
    });
  }
});
