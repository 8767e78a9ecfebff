const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Does something of which no half may stay. A signal that would end the process waits for it; when it has failed, its error is
 * told instead.
 * @param onHeld called at the first such signal
 */
export async function uninterrupted<T>(work: () => Promise<T>, onHeld: () => void): Promise<T> {
  // Others may end by themselves at a signal, as a watch does.
  const deadly = SIGNALS.filter((signal) => process.listenerCount(signal) === 0);
  let held: NodeJS.Signals | null = null;
  const hold = (signal: NodeJS.Signals): void => {
    if (held === null) onHeld();
    held ??= signal;
  };
  for (const signal of SIGNALS) process.on(signal, hold);
  const done = await work().finally(() => {
    for (const signal of SIGNALS) process.off(signal, hold);
  });
  const ending = deadly.find((signal) => signal === held);
  if (ending !== undefined) process.kill(process.pid, ending);
  return done;
}
