import { expect, test } from 'bun:test';
import { createPreparedAnswers } from '../../../services/gateway/hot-reads/prepared-answers.ts';
import type { RequestContext } from '../../../services/gateway/http/request-context.ts';

/** A page's prepared answer. */
function prepared() {
  const settings = { cacheMaxBytes: 1_000_000, contentBaseUrl: null, baseUrl: null, trustProxy: 0, port: 80 };
  const answers = createPreparedAnswers(settings, { tryOf: () => null });
  const request = new Request('http://perch.example/public/page');
  const record = {
    namespace: 'public',
    id: 'page',
    kind: 'html',
    code: 'AAAAAAA',
    version: 1,
    passwordHash: null,
  };
  const plainAnswer = { record, entry: null, body: new Uint8Array(10), until: Number.POSITIVE_INFINITY };
  const context = { plainAnswer, request, loggedPath: '/public/page', search: '', itemHost: null };
  answers.keep(context as unknown as RequestContext, new Response('page'));
  const answer = answers.find(request);
  if (answer === null) throw new Error('no answer was kept');
  return answer;
}

test('reads of a client that are alike are one object in the log, and others have their own', () => {
  const answer = prepared();
  const first = answer.attributesOf('192.0.2.1', 'Test/1.0', null);
  expect(first).toMatchObject({
    clientIp: '192.0.2.1',
    userAgent: 'Test/1.0',
    referer: null,
    viewed: 'AAAAAAA',
  });
  expect(answer.attributesOf('192.0.2.1', 'Test/1.0', null)).toBe(first);
  for (const [clientIp, userAgent, referer] of [
    ['192.0.2.2', 'Test/1.0', null],
    ['192.0.2.1', 'Test/1.1', null],
    ['192.0.2.1', 'Test/1.0', 'https://a.example/'],
  ] as const) {
    const other = answer.attributesOf(clientIp, userAgent, referer);
    expect(other).toMatchObject({ clientIp, userAgent, referer });
    expect(first).toMatchObject({ clientIp: '192.0.2.1', userAgent: 'Test/1.0', referer: null });
  }
});

test.each([499, 500, 501])(
  'of a client with %i characters of texts an answer keeps at most 500',
  (characters) => {
    const answer = prepared();
    const userAgent = 'x'.repeat(characters - 100);
    const referer = 'y'.repeat(100);
    const first = answer.attributesOf('192.0.2.1', userAgent, referer);
    const next = answer.attributesOf('192.0.2.1', userAgent, referer);
    expect(next).toEqual(first);
    expect(next === first).toBe(characters <= 500);
  },
);
