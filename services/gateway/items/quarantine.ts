import { errors, type PerchError } from '../../../shared/errors.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { QuarantineState } from '../../../shared/items/quarantine.ts';

/** The error for readers of an item in quarantine: only its owner is told what was found. */
export const quarantineError = ({ namespace, id }: ItemRef, { cause }: QuarantineState): PerchError =>
  cause === 'unscanned' ? errors.notScannedYet(namespace, id) : errors.quarantined(namespace, id);
