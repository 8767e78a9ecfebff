import { afterEach, expect, setSystemTime, test } from 'bun:test';
import type { Server } from 'bun';
import { createOwnViews } from '../../../services/gateway/auth/signed-tokens.ts';
import { RequestContext } from '../../../services/gateway/http/request-context.ts';

afterEach(() => void setSystemTime());

const views = createOwnViews('a secret of this test');
const item = { namespace: 'public', id: 'picture' };

const from = (address: string, query = '') => {
  const server = { requestIP: () => ({ address }) } as unknown as Server<unknown>;
  return new RequestContext(new Request(`http://localhost/public/picture?${query}`), server, {
    baseUrl: null,
    trustProxy: 0,
    port: 80,
  });
};

const HALF_PAST = Date.UTC(2026, 10, 22, 12, 30);

test('the parameter is good for one client', () => {
  const given = views.parameterFor(from('10.0.0.1'), item);
  expect(views.isOwn(from('10.0.0.1', given), item)).toBe(true);
  expect(views.isOwn(from('10.0.0.2', given), item)).toBe(false);
  expect(createOwnViews('another secret').isOwn(from('10.0.0.1', given), item)).toBe(false);
});

test('it stays as it is until the hour is full, and is good for another hour', () => {
  const at = (minutes: number) => setSystemTime(new Date(HALF_PAST + minutes * 60_000));
  at(0);
  const given = views.parameterFor(from('10.0.0.1'), item);
  at(29);
  expect(views.parameterFor(from('10.0.0.1'), item)).toBe(given);
  at(30);
  expect(views.parameterFor(from('10.0.0.1'), item)).not.toBe(given);
  at(89);
  expect(views.isOwn(from('10.0.0.1', given), item)).toBe(true);
  at(91);
  expect(views.isOwn(from('10.0.0.1', given), item)).toBe(false);
});
