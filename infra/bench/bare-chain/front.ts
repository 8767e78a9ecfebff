import { connect } from 'nats';
import { createBatcher } from '../../../shared/batcher.ts';
import { type BareWrite, SUBJECT } from './message.ts';

// The first process of the bare chain: takes PUTs, and sends what gathers to the store in one message. Arguments: port, address of NATS.
const [port = '', natsUrl = ''] = process.argv.slice(2);
const connection = await connect({ servers: natsUrl, resolve: false });
const encoder = new TextEncoder();

interface Put extends BareWrite {
  resolve(sequence: number): void;
  reject(error: unknown): void;
}

const sending = createBatcher<Put>({
  max: { count: 64, size: 524_288 },
  sizeOf: ({ value }) => value.length,
  turnsToLeave: 3,
  send: (puts, answered) => void send(puts, answered),
});

async function send(puts: Put[], answered: () => void): Promise<void> {
  try {
    const writes = puts.map(({ key, value }) => ({ key, value }));
    const reply = await connection.request(SUBJECT, encoder.encode(JSON.stringify(writes)), {
      timeout: 5_000,
    });
    const sequences = reply.json<number[]>();
    for (const [place, { resolve }] of puts.entries()) resolve(sequences[place] ?? 0);
  } catch (error) {
    for (const { reject } of puts) reject(error);
  } finally {
    answered();
  }
}

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  async fetch(request) {
    if (request.method !== 'PUT') return new Response('ready');
    const { value } = (await request.json()) as { value: string };
    const key = request.url.slice(request.url.lastIndexOf('/') + 1);
    const sequence = await new Promise<number>((resolve, reject) => {
      sending.add({ key, value, resolve, reject });
    });
    return Response.json({ key, sequence });
  },
});
