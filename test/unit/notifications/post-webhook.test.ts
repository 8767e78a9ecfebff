import { afterAll, describe, expect, test } from 'bun:test';
import {
  isPublicAddress,
  postWebhook,
  publicAddressOf,
  signWebhook,
} from '../../../services/analytics/notifications/post-webhook.ts';

let asked = 0;
const receiver = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: (request) => {
    asked += 1;
    return new Response(request.headers.get('host'));
  },
});
afterAll(() => receiver.stop(true));

/** The example of the specification of Standard Webhooks. */
test('signs as Standard Webhooks has it', () => {
  const body = '{"test": 2432232314}';
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  expect(signWebhook(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, body)).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test.each([
  ...['127.0.0.1', '127.9.9.9', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['169.254.169.254', '100.64.0.1', '100.100.100.200', '100.127.255.255', '192.0.0.192', '198.18.0.1'],
  ...['168.63.129.16', '224.0.0.1', '255.255.255.255', '240.0.0.1', '192.88.99.1'],
  ...['::1', '::', 'fe80::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1'],
  ...['64:ff9b::7f00:1', '2002:7f00:1::', '2001:0:1::1', '2001:db8::1', '::127.0.0.1', 'localhost', ''],
])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

test.each(['93.184.216.34', '8.8.8.8', '100.63.255.255', '100.128.0.0', '172.32.0.1', '2606:4700::1111'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
);

describe('a receiver', () => {
  const settings = (hostname: string) => ({
    url: `http://${hostname}:${receiver.port}/`,
    secret: 'whsec_AAAA',
    allowPrivate: false,
  });
  const message = { id: 'msg_1', payload: '{}' };
  const resolve = (...addresses: string[]) => ({ now: 0, resolve: () => Promise.resolve(addresses) });

  test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '0'])(
    'that is %s is refused without a connection',
    async (hostname) => {
      await expect(postWebhook(settings(hostname), message, resolve())).rejects.toThrow(
        / is not public: WEBHOOK_ALLOW_PRIVATE=true allows it$/,
      );
      expect(asked).toBe(0);
    },
  );

  test('whose name has one private address among its public ones is refused without a connection', async () => {
    const addresses = resolve('93.184.216.34', '127.0.0.1');
    await expect(postWebhook(settings('hook.example'), message, addresses)).rejects.toThrow(
      'hook.example has the address 127.0.0.1, which is not public: WEBHOOK_ALLOW_PRIVATE=true allows it',
    );
    expect(asked).toBe(0);
  });

  test('is reached at the address that was looked at, under its name', async () => {
    let lookups = 0;
    const changing = () => Promise.resolve([lookups++ === 0 ? '127.0.0.1' : '192.0.2.1']);
    const allowed = { ...settings('hook.example'), allowPrivate: true };
    await postWebhook(allowed, message, { now: 0, resolve: changing });
    expect([lookups, asked]).toEqual([1, 1]);
  });

  test('that never answers, or never ends its answer, is given up at its deadline', async () => {
    const silent = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) =>
        url.endsWith('/endless')
          ? new Response(new ReadableStream({ start: (body) => body.enqueue('begun') }))
          : new Promise<Response>(() => undefined),
    });
    using unspoken = Bun.listen({
      port: 0,
      hostname: '127.0.0.1',
      socket: { data: () => undefined },
    });
    try {
      for (const place of [`${silent.port}/`, `${silent.port}/endless`, `${unspoken.port}/`]) {
        const target = { url: `http://127.0.0.1:${place}`, secret: 'whsec_AAAA', allowPrivate: true };
        const posted = postWebhook(target, message, { ...resolve(), limitMs: 300 });
        await expect(posted).rejects.toMatchObject({ name: 'TimeoutError' });
      }
    } finally {
      await silent.stop(true);
    }
    const unresolved = postWebhook(settings('hook.example'), message, {
      now: 0,
      limitMs: 300,
      resolve: () => new Promise<string[]>(() => undefined),
    });
    await expect(unresolved).rejects.toThrow('not resolved in time');
  });

  test('has got the message when its answer says so and then breaks off', async () => {
    using breaking = Bun.listen({
      port: 0,
      hostname: '127.0.0.1',
      socket: {
        data(socket) {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun');
          socket.end();
        },
      },
    });
    const target = { url: `http://127.0.0.1:${breaking.port}/`, secret: 'whsec_AAAA', allowPrivate: true };
    await postWebhook(target, message, { ...resolve(), limitMs: 5_000 });
  });

  test('without an address is refused', async () => {
    const none = publicAddressOf('hook.example', { allowPrivate: false, resolve: () => Promise.resolve([]) });
    await expect(none).rejects.toThrow('has no address');
  });
});
