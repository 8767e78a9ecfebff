import { expect, test } from 'bun:test';
import { type AddressInfo, createServer } from 'node:net';
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
