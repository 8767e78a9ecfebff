import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signed marks in the forms of this service's pages, which tell their requests from those of other pages. */
export interface SignedMarks {
  /** Good for one subject, until a moment in seconds since the epoch. */
  make(subject: string, until: number): string;
  isRight(subject: string, mark: string): boolean;
}

const MARK = /^(\d{1,12})\.([\w-]{43})$/;

/** `purpose` keeps the marks of one kind of page from being good on another. */
export function createSignedMarks(secret: string, purpose: string): SignedMarks {
  const sign = (subject: string, until: number): string =>
    createHmac('sha256', secret).update(`${purpose} ${subject} ${until}`).digest('base64url');
  return {
    make: (subject, until) => `${until}.${sign(subject, until)}`,
    isRight(subject, mark) {
      const [, until = '', signature = ''] = MARK.exec(mark) ?? [];
      if (Number(until) * 1000 <= Date.now()) return false;
      return timingSafeEqual(Buffer.from(signature), Buffer.from(sign(subject, Number(until))));
    },
  };
}
