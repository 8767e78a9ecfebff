import { request } from 'node:http';

/** One server-sent event, or a comment. */
export interface ReadEvent {
  event: string;
  id: string | null;
  data: string;
}

export interface EventReader {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The next event; `null` when the stream has ended. */
  next(): Promise<ReadEvent | null>;
  /** Events that have come and nobody has asked for. */
  readonly waiting: number;
  /** All text so far, comments among it. */
  readonly text: string;
  close(): void;
}

/** Opens a stream of events over a connection of its own. Of an answer without events `next` gives null. */
export function openEvents(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent: false,
      headers: { Accept: 'text/event-stream', 'User-Agent': 'PerchTests/1', ...headers },
    });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      const events: ReadEvent[] = [];
      const asking: Array<(event: ReadEvent | null) => void> = [];
      let rest = '';
      let text = '';
      let isEnded = false;
      const end = (): void => {
        isEnded = true;
        for (const ask of asking.splice(0)) ask(null);
      };
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
        rest += chunk;
        const blocks = rest.split('\n\n');
        rest = blocks.pop() ?? '';
        for (const event of blocks.map(parse)) {
          if (event === null) continue;
          const ask = asking.shift();
          if (ask === undefined) events.push(event);
          else ask(event);
        }
      });
      answer.on('end', end);
      answer.on('error', end);
      answer.on('close', end);
      resolve({
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        next() {
          const event = events.shift();
          if (event !== undefined || isEnded) return Promise.resolve(event ?? null);
          return new Promise((resolveEvent) => asking.push(resolveEvent));
        },
        get waiting() {
          return events.length;
        },
        get text() {
          return text;
        },
        close: () => sent.destroy(),
      });
    });
    sent.end();
  });
}

/** `null`: a block without data, which no client hears of. */
function parse(block: string): ReadEvent | null {
  const fields = block.split('\n').map((line) => /^(\w*): ?(.*)$/s.exec(line) ?? []);
  const values = (name: string): string[] =>
    fields.filter(([, field]) => field === name).map(([, , value = '']) => value);
  const data = values('data');
  if (data.length === 0) return null;
  return { event: values('event')[0] ?? 'message', id: values('id')[0] ?? null, data: data.join('\n') };
}
