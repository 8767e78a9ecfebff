import type { ReplyOf } from '../../../../shared/contracts/operation.ts';
import type { KindTotals, readStats } from '../../../../shared/contracts/stats.ts';
import { KINDS, type Kind } from '../../../../shared/items/item.ts';

type Figure = 'created' | 'createdToday' | 'deleted' | 'deletedToday' | 'views' | 'viewsToday';

/** A number of all items, split into listed items and all others. */
type Split<Name extends string> = Record<Name | `${Name}Public` | `${Name}Private`, number>;

/** The statistics of one kind of content. */
export type KindStats = { type: Kind; active: number; bytes: number } & Split<
  'total' | 'today' | 'deleted' | 'deletedToday' | 'totalDeleted' | 'todayDeleted' | 'views' | 'viewsToday'
>;

/** The statistics of the service as clients get them (specification 14.1). */
export type Stats = Split<
  'totalCreated' | 'createdToday' | 'totalViews' | 'viewsToday' | 'totalDeleted' | 'deletedToday'
> & { activeItems: number; storedBytes: number; breakdown: KindStats[]; timestamp: string };

export function statsShape({ totals, at }: ReplyOf<typeof readStats>): Stats {
  return {
    ...split('totalCreated', totals, 'created'),
    ...split('createdToday', totals, 'createdToday'),
    ...split('totalViews', totals, 'views'),
    ...split('viewsToday', totals, 'viewsToday'),
    ...split('totalDeleted', totals, 'deleted'),
    ...split('deletedToday', totals, 'deletedToday'),
    activeItems: active(totals),
    storedBytes: stored(totals),
    breakdown: KINDS.map((kind) =>
      kindStats(
        kind,
        totals.filter((one) => one.kind === kind),
      ),
    ),
    timestamp: new Date(at).toISOString(),
  };
}

const kindStats = (type: Kind, totals: KindTotals[]): KindStats => ({
  type,
  ...split('total', totals, 'created'),
  ...split('today', totals, 'createdToday'),
  active: active(totals),
  ...split('deleted', totals, 'deleted'),
  ...split('deletedToday', totals, 'deletedToday'),
  ...split('totalDeleted', totals, 'deleted'),
  ...split('todayDeleted', totals, 'deletedToday'),
  ...split('views', totals, 'views'),
  ...split('viewsToday', totals, 'viewsToday'),
  bytes: stored(totals),
});

function split<Name extends string>(name: Name, totals: KindTotals[], figure: Figure): Split<Name> {
  const listed = sum(
    totals.filter((one) => one.public),
    (one) => one[figure],
  );
  const all = sum(totals, (one) => one[figure]);
  return { [name]: all, [`${name}Public`]: listed, [`${name}Private`]: all - listed } as Split<Name>;
}

const active = (totals: KindTotals[]): number => sum(totals, ({ created, deleted }) => created - deleted);
const stored = (totals: KindTotals[]): number => sum(totals, ({ bytes }) => bytes);

const sum = (totals: KindTotals[], figureOf: (one: KindTotals) => number): number =>
  totals.reduce((reached, one) => reached + figureOf(one), 0);
