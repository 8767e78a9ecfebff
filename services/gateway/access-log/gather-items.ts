interface GatheredItems<Item> {
  /** Never waits, never throws. */
  add(item: Item): void;
  /** Hands on what has been gathered. */
  handOn(): void;
  /** Items that are gathered now. */
  readonly count: number;
}

/** Hands items on `atOnce`, or `withinMs` after the first of them. */
export function gatherItems<Item>(
  take: (item: Item) => void,
  { atOnce, withinMs }: { atOnce: number; withinMs: number },
): GatheredItems<Item> {
  let items: Item[] = [];
  let timer: Timer | undefined;
  const handOn = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const taken = items;
    items = [];
    for (const item of taken) take(item);
  };
  return {
    add(item) {
      items.push(item);
      if (items.length === atOnce) handOn();
      else timer ??= setTimeout(handOn, withinMs);
    },
    handOn,
    get count() {
      return items.length;
    },
  };
}
