const FACTORS: Record<string, number> = {
  '': 1,
  m: 1e-3,
  ...{ k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};

/** A Kubernetes quantity (`500m`, `5Gi`, `2`) as a number. @throws for what is none */
export function quantity(text: string | number | undefined): number {
  const [, digits, suffix = ''] = /^(\d+(?:\.\d+)?)([a-zA-Z]*)$/.exec(String(text)) ?? [];
  const factor = FACTORS[suffix];
  if (digits === undefined || factor === undefined) throw new Error(`${text} is no quantity`);
  return Number(digits) * factor;
}
