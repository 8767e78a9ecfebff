import { createSocket } from 'node:dgram';
import { type Answer, decode, encode, type RecordType } from 'dns-packet';

/** A name server on loopback that says what a test wants. */
export interface NameServer {
  /** Its address, as DNS_SERVERS has it. */
  address: string;
  /** Sets the texts of the TXT records of a name; none: there is no such name. */
  setTexts(name: string, ...texts: string[]): void;
  /** Sets the IPv4 addresses of a name. */
  setAddresses(name: string, ...addresses: string[]): void;
  /** How the server answers all questions from now on: `silent`: not at all. */
  behave(as: 'well' | 'servfail' | 'silent'): void;
  /** Questions so far about TXT records of a name; one that is sent again, as its answer is late, is one. */
  asked(name: string): number;
  stop(): void;
}

const SERVFAIL = 2;
const NXDOMAIN = 3;

export async function startNameServer(): Promise<NameServer> {
  const texts = new Map<string, string[]>();
  const addresses = new Map<string, string[]>();
  const questions = new Map<string, string>();
  let behaviour: 'well' | 'servfail' | 'silent' = 'well';
  const socket = createSocket('udp4');

  const answersTo = (type: RecordType, name: string): Answer[] => {
    if (type === 'TXT') return (texts.get(name) ?? []).map((data) => ({ type, name, ttl: 0, data: [data] }));
    if (type === 'A') return (addresses.get(name) ?? []).map((data) => ({ type, name, ttl: 0, data }));
    return [];
  };

  socket.on('message', (message, { port, address }) => {
    const { id, questions: asked = [] } = decode(message);
    const [question] = asked;
    if (question === undefined || behaviour === 'silent') return;
    const name = question.name.toLowerCase();
    if (question.type === 'TXT') questions.set(`${address}:${port} ${id} ${name}`, name);
    const answers = behaviour === 'well' ? answersTo(question.type, name) : [];
    const isKnown = texts.has(name) || addresses.has(name);
    const code = behaviour === 'servfail' ? SERVFAIL : isKnown ? 0 : NXDOMAIN;
    // Recursion is offered; the last four bits are the response code (RFC 1035, section 4.1.1).
    const flags = 0x0080 | code;
    socket.send(encode({ id: id ?? 0, type: 'response', flags, questions: asked, answers }), port, address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  const set = (map: Map<string, string[]>, name: string, values: string[]): void => {
    if (values.length === 0) map.delete(name.toLowerCase());
    else map.set(name.toLowerCase(), values);
  };
  return {
    address: `127.0.0.1:${socket.address().port}`,
    setTexts: (name, ...values) => set(texts, name, values),
    setAddresses: (name, ...values) => set(addresses, name, values),
    behave(as) {
      behaviour = as;
    },
    asked: (name) => [...questions.values()].filter((asked) => asked === name.toLowerCase()).length,
    stop: () => socket.close(),
  };
}
