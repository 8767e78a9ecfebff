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
  /** Answers questions of a type about a name as a server does that has failed. */
  failFor(type: 'A' | 'AAAA', name: string): void;
  /** Leaves the next question about the IPv4 addresses of a name without an answer until it is released. */
  holdNext(name: string): HeldQuestion;
  /** Questions so far about TXT records of a name; one that is sent again, as its answer is late, is one. */
  asked(name: string): number;
  stop(): void;
}

/** A question that waits for its answer. */
export interface HeldQuestion {
  /** Whether somebody has asked it. */
  isAsked(): boolean;
  release(): void;
}

const SERVFAIL = 2;
const NXDOMAIN = 3;

export async function startNameServer(): Promise<NameServer> {
  const texts = new Map<string, string[]>();
  const addresses = new Map<string, string[]>();
  const questions = new Map<string, string>();
  /** By name, what waits: the number of the question, and how it is answered. */
  const holds = new Map<string, { id: number | null; answer: () => void }>();
  /** Types and names of questions that fail. */
  const failing = new Set<string>();
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
    const isKnown = texts.has(name) || addresses.has(name);
    const fails = behaviour === 'servfail' || failing.has(`${question.type} ${name}`);
    const answers = fails ? [] : answersTo(question.type, name);
    const code = fails ? SERVFAIL : isKnown ? 0 : NXDOMAIN;
    // Recursion is offered; the last four bits are the response code (RFC 1035, section 4.1.1).
    const flags = 0x0080 | code;
    const answer = () =>
      socket.send(encode({ id: id ?? 0, type: 'response', flags, questions: asked, answers }), port, address);
    const hold = question.type === 'A' ? holds.get(name) : undefined;
    // A question that is sent again has the number that it had.
    if (hold === undefined || (hold.id ?? id ?? 0) !== (id ?? 0)) answer();
    else Object.assign(hold, { id: id ?? 0, answer });
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
    failFor: (type, name) => void failing.add(`${type} ${name.toLowerCase()}`),
    holdNext(name) {
      const hold: { id: number | null; answer: () => void } = { id: null, answer: () => undefined };
      holds.set(name.toLowerCase(), hold);
      return {
        isAsked: () => hold.id !== null,
        release() {
          holds.delete(name.toLowerCase());
          hold.answer();
        },
      };
    },
    asked: (name) => [...questions.values()].filter((asked) => asked === name.toLowerCase()).length,
    stop: () => socket.close(),
  };
}
