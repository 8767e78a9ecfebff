import { alignRows } from '../align-rows.ts';
import type { Findings } from './measurement.ts';
import type { Verdict } from './verdicts.ts';

export const ratio = (value: number): string => value.toFixed(2);
export const count = (value: number): string => Math.round(value).toLocaleString('en');
export const milliseconds = (value: number): string => `${value.toFixed(value < 100 ? 2 : 0)} ms`;
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
export const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;

const verdictLine = ({ what, found, wanted, met }: Verdict): string =>
  `${met ? 'met   ' : 'MISSED'}  ${what}: ${found} (${wanted})`;

/** One measurement as text. */
export function renderFindings(name: string, { table, notes, verdicts }: Findings): string {
  const sections = [
    `## ${name}`,
    alignRows(table, { left: 1 }).join('\n'),
    notes.map((note) => `- ${note}`).join('\n'),
    verdicts.map(verdictLine).join('\n'),
  ];
  return `${sections.join('\n\n')}\n\n`;
}
