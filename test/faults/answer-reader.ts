/** An answer as it came over the wire. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** Puts the bytes of one HTTP/1.1 answer together (RFC 9112, section 6): with a length, in chunks, or without a body. */
export interface AnswerReader {
  /** `null` until the answer is whole. */
  take(chunk: Buffer): Answer | null;
  readonly received: number;
}

export function createAnswerReader(isHead: boolean): AnswerReader {
  let bytes = Buffer.alloc(0);
  return {
    take(chunk) {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return null;
      const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
      const status = Number(statusLine.split(' ')[1]);
      const headers = new Headers(lines.map((line): [string, string] => splitLine(line)));
      const body = wholeBody(bytes.subarray(end + 4), headers, isHead || status === 204 || status === 304);
      return body === null ? null : { status, headers, text: body.toString('utf8') };
    },
    get received() {
      return bytes.length;
    },
  };
}

function splitLine(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

function wholeBody(rest: Buffer, headers: Headers, isEmpty: boolean): Buffer | null {
  if (isEmpty) return Buffer.alloc(0);
  if (headers.get('transfer-encoding') === 'chunked') return unchunk(rest);
  const length = Number(headers.get('content-length'));
  return rest.length < length ? null : rest.subarray(0, length);
}

function unchunk(rest: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(rest.subarray(at, lineEnd).toString('latin1'), 16);
    const start = lineEnd + 2;
    // The empty line behind a chunk belongs to it.
    if (rest.length < start + size + 2) return null;
    if (size === 0) return Buffer.concat(parts);
    parts.push(rest.subarray(start, start + size));
    at = start + size + 2;
  }
}
