import {
  type FilePart,
  type FormFields,
  type MultipartOptions,
  readMultipart,
} from '../../../services/gateway/http/multipart.ts';
import { bodyOf, contextWith, tooLarge } from './request-context.ts';

export const OPTIONS: MultipartOptions = {
  limit: { bytes: 50_000_000, tooLarge },
  fileFields: ['file'],
  maxFiles: 1_000,
  maxFields: 1_000,
};
export const FAULT = { code: 'VALIDATION_FAILED' };

type ReadFile = Omit<FilePart, 'body'> & { text: string };

export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

export const formOf = (pieces: string[], boundary = 'b') => {
  const body = bodyOf(pieces.map((piece) => Buffer.from(piece, 'latin1')));
  const type = `multipart/form-data; boundary=${boundary}`;
  return { ...body, context: contextWith(body.stream, { 'Content-Type': type }) };
};

/** Reads a form given in pieces, each character one byte. */
export async function read(
  pieces: string[],
  boundary?: string,
  options: Partial<MultipartOptions> = {},
): Promise<{ files: ReadFile[]; fields: FormFields }> {
  const files: ReadFile[] = [];
  const { context } = formOf(pieces, boundary);
  const fields = await readMultipart(context, { ...OPTIONS, ...options }, async ({ body, ...part }) => {
    files.push({ ...part, text: await textOf(body) });
  });
  return { files, fields };
}

export const utf8 = (text: string): string => Buffer.from(text).toString('latin1');
export const part = (headers: string, body: string): string => `--b\r\n${headers}\r\n\r\n${body}\r\n`;
export const field = (name: string, value: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, value);
export const file = (parameters: string, body = 'x'): string =>
  part(`Content-Disposition: form-data; name="file"; ${parameters}`, body);
export const END = '--b--\r\n';
