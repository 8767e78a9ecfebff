import type { ItemState } from '../../../../shared/contracts/publications.ts';
import type { ItemRef, Kind } from '../../../../shared/items/item.ts';

interface Visibility {
  kind: Kind;
  hidden: boolean;
  quarantined: boolean;
}

/** The answer to an operator who has changed who may read an item: its state now. */
export function answerVisibility(
  { namespace, id }: ItemRef,
  { kind, hidden, quarantined }: Visibility,
): Response {
  const state: ItemState = quarantined ? 'quarantined' : hidden ? 'hidden' : 'live';
  return Response.json({ namespace, id, type: kind, state }, { headers: { 'Cache-Control': 'no-store' } });
}
