interface GatheredItems<Item> {
  /** @throws what the last item of those that it hands on threw */
  add(item: Item): void;
  /** Hands on what has been gathered. @throws as `add` */
  handOn(): void;
  /** Items that are gathered now. */
  readonly count: number;
}

/** Hands items on `atOnce`, or `withinMs` after the first of them. One that cannot be taken keeps none of the others. */
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
    let failure: { error: unknown } | null = null;
    for (const item of taken) {
      try {
        take(item);
      } catch (error) {
        failure = { error };
      }
    }
    if (failure !== null) throw failure.error;
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
