import { createSocket } from 'node:dgram';

export interface NameServer {
  /** `127.0.0.1:port`. */
  address: string;
  stop(): Promise<void>;
}

const A = 1;
const HEADER_BYTES = 12;

/**
 * A name server on loopback that knows one thing: the IPv4 addresses of every name it is asked for, each time in another
 * order, as Docker's has them for a service (RFC 1035, sections 4.1 and 3.4.1). It has no addresses of other kinds.
 */
export async function startNameServer(addresses: string[]): Promise<NameServer> {
  const socket = createSocket('udp4');
  const inOrder = [...addresses];
  socket.on('message', (question, { port, address }) => {
    inOrder.push(...inOrder.splice(0, 1));
    socket.send(answerTo(question, inOrder), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function answerTo(question: Buffer, addresses: string[]): Buffer {
  let end = HEADER_BYTES;
  while ((question[end] ?? 0) !== 0) end += (question[end] ?? 0) + 1;
  const type = question.readUInt16BE(end + 1);
  const records = type === A ? addresses.map(recordOf) : [];
  const header = Buffer.from(question.subarray(0, HEADER_BYTES));
  // An answer without an error, with recursion.
  header.writeUInt16BE(0x81_80, 2);
  header.writeUInt16BE(records.length, 6);
  // What the question had beside it (an OPT record) is not repeated.
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, question.subarray(HEADER_BYTES, end + 5), ...records]);
}

/** The name is that of the question; type A, class IN, one second to live. */
const recordOf = (address: string): Buffer =>
  Buffer.from([0xc0, HEADER_BYTES, 0, A, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]);
