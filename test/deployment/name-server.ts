import { createSocket } from 'node:dgram';

export interface NameServer {
  /** `host:port`. */
  address: string;
  /** From now on every name has these addresses. */
  setAddresses(addresses: string[]): void;
  stop(): Promise<void>;
}

export interface NameServerOptions {
  /** Where it listens: on a free port of 127.0.0.1 unless said. */
  host?: string;
  port?: number;
  /** How long whoever asks may keep an answer: one second unless said. */
  timeToLiveSeconds?: number;
}

const A = 1;
const HEADER_BYTES = 12;

/**
 * A name server on loopback that knows one thing: the IPv4 addresses of every name it is asked for, each time in another
 * order, as Docker's has them for a service (RFC 1035, sections 4.1 and 3.4.1). There are no addresses of other kinds.
 */
export async function startNameServer(
  addresses: string[],
  options: NameServerOptions = {},
): Promise<NameServer> {
  const { host = '127.0.0.1', port: ownPort = 0, timeToLiveSeconds = 1 } = options;
  const socket = createSocket('udp4');
  let inOrder = [...addresses];
  socket.on('message', (question, { port, address }) => {
    inOrder.push(...inOrder.splice(0, 1));
    socket.send(answerTo(question, inOrder, timeToLiveSeconds), port, address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(ownPort, host, resolve);
  });
  return {
    address: `${host}:${socket.address().port}`,
    setAddresses(changed) {
      inOrder = [...changed];
    },
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function answerTo(question: Buffer, addresses: string[], timeToLiveSeconds: number): Buffer {
  let end = HEADER_BYTES;
  while ((question[end] ?? 0) !== 0) end += (question[end] ?? 0) + 1;
  const type = question.readUInt16BE(end + 1);
  const records = type === A ? addresses.map((address) => recordOf(address, timeToLiveSeconds)) : [];
  const header = Buffer.from(question.subarray(0, HEADER_BYTES));
  // An answer without an error, with recursion.
  header.writeUInt16BE(0x81_80, 2);
  header.writeUInt16BE(records.length, 6);
  // Additional records of the question (OPT) are not repeated.
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, question.subarray(HEADER_BYTES, end + 5), ...records]);
}

/** The name is that of the question; type A, class IN. */
function recordOf(address: string, timeToLiveSeconds: number): Buffer {
  const timeToLive = Buffer.alloc(4);
  timeToLive.writeUInt32BE(timeToLiveSeconds);
  return Buffer.concat([
    Buffer.from([0xc0, HEADER_BYTES, 0, A, 0, 1]),
    timeToLive,
    Buffer.from([0, 4, ...address.split('.').map(Number)]),
  ]);
}
