import fc, { type Arbitrary } from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const LAST_CODE_POINT = 0x10ffff;

/** Any code point but surrogates: for fast-check's `unit`, whose own `binary` takes a second of a processor in each test file. */
export const anyCharacter: Arbitrary<string> = fc
  .nat(LAST_CODE_POINT - SURROGATES.count)
  .map((n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count));
