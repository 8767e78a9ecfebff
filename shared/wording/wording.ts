/** How numbers, sizes and times are written in a language. */
export interface Wording {
  /** BCP 47, for `Intl`. */
  readonly locale: string;
  readonly byte: string;
  readonly bytes: string;
  readonly justNow: string;
  readonly inAMoment: string;
}

export const ENGLISH: Wording = {
  locale: 'en-GB',
  byte: 'byte',
  bytes: 'bytes',
  justNow: 'just now',
  inAMoment: 'in a moment',
};
