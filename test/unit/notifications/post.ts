import { postWebhook } from '../../../services/analytics/notifications/post-webhook.ts';

/** The output of a process whose message has arrived; of another one it is the reason. */
export const SENT = 'sent';

/** Posts to the address that is its argument, whose host it takes to be at 127.0.0.1, with the environment that it is given. */
if (import.meta.main) {
  const [url = ''] = Bun.argv.slice(2);
  const message = { id: 'msg_1', payload: '{}' };
  const posted = postWebhook({ url, secret: 'whsec_AAAA', allowPrivate: true }, message, {
    now: Date.now(),
    resolve: async () => ['127.0.0.1'],
  });
  process.stdout.write(
    await posted.then(
      () => SENT,
      (error: unknown) => String(error),
    ),
  );
}
