import { publishing as texts } from '../../texts/page-language.ts';
import { publishingToken } from '../token-store.ts';
import { type Credentials, type Published, Refused, send, type Upload, type Watcher } from './upload.ts';

/** A request that the form has sent, and the item that came of it. */
interface Attempt {
  readonly credentials: Credentials;
  item: Published | null;
}

/** The attempts of a form, by the file that each publishes; `undefined` for what is no file. */
export type Attempts = Map<File | undefined, Attempt>;

/**
 * Sends uploads one after the other, but none that an earlier call has published. Published items stay when another upload
 * fails. A file that is refused for what it is does not hold up the others; every other failure does.
 * @returns whether anything was sent
 * @throws Error what failed and why, an issue a line
 */
export async function sendAll(
  uploads: readonly Upload[],
  attempts: Attempts,
  watcher: Watcher,
  show: (item: Published, upload: Upload) => Promise<void>,
): Promise<boolean> {
  let ownerToken = await publishingToken();
  let isSent = false;
  const refused: string[] = [];
  const fail = (says: (published: number, all: number) => string, reasons: readonly string[]): never => {
    const published = uploads.filter(({ file }) => attempts.get(file)?.item).length;
    throw new Error([says(published, uploads.length), ...reasons].join('\n'));
  };
  for (const upload of uploads) {
    const attempt = attempts.get(upload.file) ?? {
      credentials: { ownerToken, idempotencyKey: randomKey() },
      item: null,
    };
    attempts.set(upload.file, attempt);
    if (attempt.item === null) {
      isSent = true;
      const outcome = await send(upload, attempt.credentials, watcher).catch((error: Error) => error);
      if (outcome instanceof Error) {
        if (uploads.length === 1) throw outcome;
        const name = upload.file?.name ?? '';
        if (!(outcome instanceof Refused && outcome.isOfFile))
          fail((...counts) => texts.stopped(name, ...counts), [outcome.message, ...refused]);
        refused.push(`${name}: ${outcome.message}`);
        continue;
      }
      attempt.item = outcome;
      await show(outcome, upload);
    }
    ownerToken = attempt.item.ownerToken;
  }
  if (refused.length > 0) fail(texts.refused, refused);
  return isSent;
}

/** 24 random characters: `crypto.randomUUID` is missing over plain http. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
