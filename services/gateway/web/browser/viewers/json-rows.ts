import { type JsonIndex, placeOf } from './json-index.ts';

/** A line of the tree: a value, or the way to further children of one. */
export interface JsonRow {
  readonly node: number;
  /** 0 for the document itself. */
  readonly level: number;
  /** Its place among its siblings, from 0. */
  readonly place: number;
  /** How many children are not shown yet, on the line that stands for them. */
  readonly hidden: number | null;
}

/** Children of one value that are shown at first, and added at a time. */
const CHILDREN_AT_ONCE = 1_000;

/** Which values of a document are open, and the lines that follow from that. */
export interface OpenRows {
  readonly rows: readonly JsonRow[];
  isOpen(node: number): boolean;
  toggle(node: number): void;
  showMore(node: number): void;
  /** Opens all that a value is in. Returns the number of its line. */
  reveal(node: number): number;
  openAll(maxRows: number): void;
  closeAll(): void;
}

export function createOpenRows(index: JsonIndex): OpenRows {
  const shown = new Map<number, number>();
  let rows: JsonRow[] = [];

  /** Builds the rows from the top, without recursion: a document may be nested thousands of levels deep. */
  const build = (): void => {
    rows = [];
    const waiting: Array<{ node: number; place: number; level: number }> = [{ node: 0, place: 0, level: 0 }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { node, place, level } = next;
      const parent = index.parent(node);
      const max = parent < 0 ? 1 : (shown.get(parent) ?? 0);
      if (place >= max) {
        rows.push({ node: parent, level, place, hidden: index.childCount(parent) - place });
        continue;
      }
      rows.push({ node, level, place, hidden: null });
      if (parent >= 0 && place + 1 < index.childCount(parent))
        waiting.push({ node: index.next(node), place: place + 1, level });
      if (shown.has(node) && index.childCount(node) > 0)
        waiting.push({ node: index.firstChild(node), place: 0, level: level + 1 });
    }
  };

  const open = (node: number): void => {
    if (index.childCount(node) > 0 && !shown.has(node)) shown.set(node, CHILDREN_AT_ONCE);
  };
  open(0);
  build();

  return {
    get rows() {
      return rows;
    },
    isOpen: (node) => shown.has(node),
    toggle(node) {
      if (!shown.delete(node)) open(node);
      build();
    },
    showMore(node) {
      shown.set(node, (shown.get(node) ?? 0) + CHILDREN_AT_ONCE);
      build();
    },
    reveal(node) {
      for (let at = node; index.parent(at) >= 0; at = index.parent(at)) {
        const parent = index.parent(at);
        open(parent);
        const needed = placeOf(index, at) + 1;
        if (needed > (shown.get(parent) ?? 0)) shown.set(parent, needed + CHILDREN_AT_ONCE);
      }
      build();
      return rows.findIndex((row) => row.node === node && row.hidden === null);
    },
    openAll(maxRows) {
      let left = maxRows;
      for (let node = 0; node < index.size && left > 0; node++) {
        if (index.childCount(node) === 0) continue;
        open(node);
        left -= Math.min(index.childCount(node), CHILDREN_AT_ONCE);
      }
      build();
    },
    closeAll() {
      shown.clear();
      open(0);
      build();
    },
  };
}
