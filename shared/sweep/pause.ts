/** Waiting that can be cut short. */
export interface Pause {
  /** Resolves after `ms`, or with `true` as soon as it is cut short; at once when that happened since the last wait. */
  wait(ms: number): Promise<boolean>;
  cutShort(): void;
  /** Ends the pause after `ms`; further calls until then have no effect of their own. */
  cutShortIn(ms: number): void;
}

export function createPause(): Pause {
  let cut = false;
  let planned: Timer | undefined;
  let wake = (): void => undefined;
  const cutShort = (): void => {
    cut = true;
    wake();
  };
  return {
    async wait(ms) {
      if (!cut) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const wasCut = cut;
      cut = false;
      return wasCut;
    },
    cutShort,
    cutShortIn(ms) {
      if (planned !== undefined) return;
      planned = setTimeout(() => {
        planned = undefined;
        cutShort();
      }, ms);
    },
  };
}
