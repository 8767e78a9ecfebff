import { setDefaultTimeout } from 'bun:test';
import { nanoid } from 'nanoid';
import { connect } from 'nats';
import pino from 'pino';
import { createInProcessEventStream } from '../../../shared/adapters/events/in-process.ts';
import { createNatsEventStream } from '../../../shared/adapters/events/nats.ts';
import { useServers } from '../../servers.ts';
import { eventStreamContract } from './contract.ts';

setDefaultTimeout(60_000);
const log = pino({ level: 'silent' });
const setting = useServers('NATS_URL');

eventStreamContract('in one process', {
  async open() {
    const stream = createInProcessEventStream(log);
    return { publisher: stream, members: [stream, stream], close: () => stream.close() };
  },
});

eventStreamContract('NATS JetStream', {
  async open() {
    const url = setting('NATS_URL');
    const stream = `contract-${nanoid().replaceAll('_', '-')}`;
    const member = (name: string) =>
      createNatsEventStream({ url, name, stream, log, maxBytes: 16 * 1_048_576 });
    const [publisher, first, second] = [member('publisher'), member('first'), member('second')];
    return {
      publisher,
      members: [first, second],
      async close() {
        await Promise.all([publisher.close(), first.close(), second.close()]);
        const connection = await connect({ servers: url });
        await (await connection.jetstreamManager()).streams.delete(stream);
        await connection.close();
      },
    };
  },
});
