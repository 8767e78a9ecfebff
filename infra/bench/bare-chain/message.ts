/** Values on their way from the front to the store of the bare chain; the reply has their sequences. */
export const SUBJECT = 'bare.put';

export interface BareWrite {
  key: string;
  value: string;
}
