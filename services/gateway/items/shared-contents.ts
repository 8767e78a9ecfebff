import type { FairBudget, SharedHolding } from '../admission/fair-budget.ts';
import type { Connection } from '../http/client.ts';
import type { AnswerWatch } from './answer-watch.ts';
import { UNHELD_BYTES } from './response-memory.ts';

/** Contents in memory that readers have not taken. Each takes room once, however many readers it has. */
export interface SharedContents {
  /**
   * Holds room for what an answer keeps in memory until its reader has it, or has taken less than the least pace. Answers up to
   * `UNHELD_BYTES` hold none. `null`: there is none for the client now.
   */
  tryAdd(clientKey: string, connection: Connection, bytes: Uint8Array): SharedContent | null;
}

export interface SharedContent {
  /** A Blob of an answer's bytes, which shares memory with those of all answers with the same content. */
  blobOf(bytes: Uint8Array): Blob;
}

interface Content extends SharedContent {
  room: SharedHolding;
  /** Begins an answer. @returns ends it */
  begin(): () => void;
}

export function createSharedContents(room: FairBudget, answers: AnswerWatch): SharedContents {
  /** Keyed by ArrayBuffer, so that all ranges of a content share an entry; weak, so that evicted content can be collected. */
  const contents = new WeakMap<ArrayBufferLike, Content>();

  const contentOf = ({ buffer }: Uint8Array): Content => {
    const known = contents.get(buffer);
    if (known !== undefined) return known;
    const content = createContent(room.share(buffer.byteLength));
    contents.set(buffer, content);
    return content;
  };

  return {
    tryAdd(clientKey, connection, bytes) {
      const { length } = bytes;
      const content = contentOf(bytes);
      let giveBack: (() => void) | null = null;
      if (length > UNHELD_BYTES) {
        giveBack = answers.takeSettled(() => content.room.tryTake(clientKey));
        if (giveBack === null) return null;
      }
      const end = content.begin();
      answers.add(connection, length, () => {
        giveBack?.();
        end();
      });
      return content;
    },
  };
}

/** Knows nothing of the buffer itself, so that no answer keeps one that the cache has given up. */
function createContent(room: SharedHolding): Content {
  let blob: Blob | null = null;
  let answers = 0;
  return {
    room,
    begin() {
      answers += 1;
      return () => {
        answers -= 1;
        // A cached content would otherwise be in memory twice from then on.
        if (answers === 0) blob = null;
      };
    },
    blobOf({ buffer, byteOffset, length }) {
      blob ??= new Blob([new Uint8Array(buffer)]);
      return blob.slice(byteOffset, byteOffset + length);
    },
  };
}
