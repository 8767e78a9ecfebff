export interface VirtualRows {
  /** Shows anew what is in sight, after rows have changed. */
  refresh(): void;
  /** Scrolls so that a row is in sight, and shows it. */
  reveal(at: number): void;
  /** How many rows are in sight. */
  readonly page: number;
}

interface VirtualRowsOptions {
  /** The element that scrolls. */
  scroller: HTMLElement;
  /** Holds the rows. */
  holder: HTMLElement;
  /** Elements before and behind the rows that take the room of those out of sight. */
  before: HTMLElement;
  behind: HTMLElement;
  /** Height of what stays in sight above the rows, in pixels. */
  headHeight?(): number;
  count(): number;
  render(at: number): HTMLElement;
  /** Takes the focus back into the rows, which were made anew. */
  refocus?(): void;
}

/** Rows beyond each end of what is in sight, so that fast scrolling shows no gap. */
const SPARE = 8;

/** Until a row was seen, in pixels. */
const LIKELY_HEIGHT = 28;

/** Shows only those rows of a long list that are in sight: a hundred thousand cost no more than a hundred. All rows are equally high. */
export function createVirtualRows(options: VirtualRowsOptions): VirtualRows {
  const { scroller, holder, before, behind, count, render } = options;
  let height = LIKELY_HEIGHT;
  let isAsked = false;

  const show = (): void => {
    isAsked = false;
    const total = count();
    const first = Math.max(0, Math.floor(scroller.scrollTop / height) - SPARE);
    const last = Math.min(total, Math.ceil((scroller.scrollTop + scroller.clientHeight) / height) + SPARE);
    const begin = Math.min(first, last);
    const rows: HTMLElement[] = [];
    for (let at = begin; at < last; at++) rows.push(render(at));
    const hadFocus = holder.contains(document.activeElement);
    holder.replaceChildren(before, ...rows, behind);
    const measured = rows[0]?.getBoundingClientRect().height ?? height;
    const isOther = measured > 0 && Math.abs(measured - height) > 0.5;
    if (isOther) height = measured;
    before.style.height = `${begin * height}px`;
    behind.style.height = `${Math.max(0, total - last) * height}px`;
    before.hidden = begin === 0;
    behind.hidden = last >= total;
    if (hadFocus) options.refocus?.();
    // Their number in sight depends on their height, which is known only now.
    if (isOther) ask();
  };
  const ask = (): void => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(show);
  };

  scroller.addEventListener('scroll', ask, { passive: true });
  new ResizeObserver(ask).observe(scroller);

  return {
    refresh: show,
    reveal(at) {
      // A browser scrolls no further than the list is high: it has to have the height of all its rows first.
      show();
      const head = options.headHeight?.() ?? 0;
      const top = at * height;
      if (top < scroller.scrollTop) scroller.scrollTop = top;
      const bottom = top + height + head;
      if (bottom > scroller.scrollTop + scroller.clientHeight)
        scroller.scrollTop = bottom - scroller.clientHeight;
      show();
    },
    get page() {
      return Math.max(1, Math.floor(scroller.clientHeight / height) - 1);
    },
  };
}
