import { expect, test } from 'bun:test';
import { ListenError, listenAt } from '../../shared/listen.ts';

const fail = (code: string) => (): never => {
  throw Object.assign(new Error('as Bun says'), { code });
};

test.each([
  ['EADDRINUSE', 'PORT 80 is in use: another program listens on 127.0.0.1:80.'],
  ['EACCES', 'PORT 80 is not allowed: this user may not listen on it.'],
  ['EADDRNOTAVAIL', 'HOST 127.0.0.1 is no address of this machine.'],
  ['EMFILE', 'PORT 80 of HOST 127.0.0.1 cannot be listened on.'],
])('a port that fails with %s is named, with its cause', (code, message) => {
  const open = () => listenAt({ host: '127.0.0.1', port: 80 }, fail(code));
  expect(open).toThrow(ListenError);
  expect(open).toThrow(message);
  expect(open).toThrow(expect.objectContaining({ cause: expect.objectContaining({ code }) }));
});

test('a port that gateways share is named by its own setting', () => {
  const shared = { host: '127.0.0.1', port: 80, setting: 'SHARED_PORT' } as const;
  expect(() => listenAt(shared, fail('EADDRINUSE'))).toThrow('SHARED_PORT 80 is in use');
});
