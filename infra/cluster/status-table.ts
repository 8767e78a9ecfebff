import { alignRows } from '../align-rows.ts';
import type { Share } from './shares.ts';

const HEADINGS = [
  'process',
  'pid',
  'address',
  'state',
  'requests',
  'share',
  'under way',
  'messages',
  'memory',
];

/** Texts to the left, numbers to the right. */
const LEFT = 4;

const state = ({ pid, isReady }: Share): string => {
  if (pid === null) return 'ended';
  return isReady ? 'ready' : 'not ready';
};

/** A table with the work of each process. */
export function statusTable(shares: readonly Share[]): string {
  const rows = shares.map((share) => [
    share.name,
    share.pid === null ? '–' : String(share.pid),
    share.url,
    state(share),
    share.requests.toLocaleString('en'),
    `${(share.share * 100).toFixed(0)} %`,
    String(share.underWay),
    share.service === 'analytics' ? share.messages.toLocaleString('en') : '',
    `${(share.memoryBytes / 1_048_576).toFixed(0)} MB`,
  ]);
  return `${alignRows([HEADINGS, ...rows], { left: LEFT }).join('\n')}\n`;
}
