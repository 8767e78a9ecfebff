import { expect, test } from 'bun:test';
import { type AddressInfo, createServer } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { until } from '../../../infra/until.ts';
import { sendMail } from '../../../services/analytics/notifications/send-mail.ts';

/** A mail server that is never silent, and never done: it goes on naming its extensions. */
async function startSlowServer() {
  let open = 0;
  const server = createServer((socket) => {
    open += 1;
    socket.write('220 slow.example\r\n');
    const naming = setInterval(() => socket.write('250-SLOW\r\n'), 20);
    socket.on('error', () => undefined);
    socket.resume();
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      clearInterval(naming);
      open -= 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    isLeft: () => open === 0,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

test('a delivery that never ends is given up, though the server goes on answering', async () => {
  const server = await startSlowServer();
  const settings = { smtpUrl: server.url, from: 'perch@example.org', to: ['abuse@example.org'] };
  const message = { id: 'mail_1', payload: JSON.stringify({ subject: 'x', text: 'x' }) };
  const outcome = await sendMail(settings, message, 200).then(
    () => 'sent',
    () => 'given up',
  );
  expect(outcome).toBe('given up');
  await until('the connection is closed', async () => server.isLeft(), 5_000);
  await server.stop();
});

test.each([
  ['are tried again when one is refused for now', 450, 'again'],
  ['are told of one that is refused for good', 550, 'second@example.org'],
])('several recipients %s', async (_, responseCode, expected) => {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onRcptTo({ address }, _session, callback) {
      if (address.startsWith('second')) callback(Object.assign(new Error('not taken'), { responseCode }));
      else callback();
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  const to = ['first@example.org', 'second@example.org'];
  const settings = { smtpUrl: `smtp://127.0.0.1:${port}`, from: 'perch@example.org', to };
  const message = { id: 'mail_2', payload: JSON.stringify({ subject: 'x', text: 'x' }) };
  const outcome = await sendMail(settings, message).then(
    (refused) => refused.join(),
    () => 'again',
  );
  expect(outcome).toBe(expected);
  await new Promise<void>((resolve) => void server.close(() => resolve()));
});
