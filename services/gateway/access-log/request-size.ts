import { areAlike, type LoggedRequest } from '../../../shared/contracts/access-columns.ts';
import type { RequestAttributes } from '../../../shared/contracts/access-log.ts';

/** Size of an entry without its texts, in characters. */
const ENTRY_CHARACTERS = 300;

/** The size of an entry of the log. Many requests have their texts in common with the one before. */
export function createEntrySize(): (request: LoggedRequest) => number {
  let last: RequestAttributes | null = null;
  let size = 0;
  return ({ attributes }) => {
    if (last !== null && areAlike(last, attributes)) return size;
    last = attributes;
    size = ENTRY_CHARACTERS + textsInMemory(attributes);
    return size;
  };
}

/** Size in a batch of what differs between alike requests, and of what they have in common without its texts, in characters. */
const [MOMENT_CHARACTERS, ATTRIBUTES_CHARACTERS] = [100, 200];

/**
 * The size that a request adds to a batch, which has the attributes of alike ones once (`createColumns`). The first request of a batch may be
 * alike to the last of the one before, and then counts too little.
 */
export function createAddedSize(): (request: LoggedRequest) => number {
  let last: RequestAttributes | null = null;
  return ({ attributes }) => {
    if (last !== null && areAlike(last, attributes)) return MOMENT_CHARACTERS;
    last = attributes;
    return MOMENT_CHARACTERS + ATTRIBUTES_CHARACTERS + textsInMemory(attributes);
  };
}

const textsInMemory = ({ path, query, userAgent, referer }: RequestAttributes): number =>
  inMemory(path) + inMemory(query) + inMemory(userAgent) + inMemory(referer);

/** A text that is not all ASCII may take two bytes for each of its characters. */
const inMemory = (text: string | null): number =>
  text === null ? 0 : (/[\u0080-\uffff]/.test(text) ? 2 : 1) * text.length;
