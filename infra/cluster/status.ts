import { alignRows } from '../align-rows.ts';
import { type Distributed, type DistributedService, SERVICES } from '../distributed.ts';
import type { ServiceProcess } from '../service-process.ts';

/** The work of one process since its start. */
interface Share {
  service: DistributedService;
  name: string;
  url: string;
  /** `null`: it does not run. */
  pid: number | null;
  isReady: boolean;
  /** Requests it has answered: of clients at a gateway, over the bus elsewhere. */
  requests: number;
  /** Share of the answers of its service that this process gave, 0 to 1. */
  share: number;
  underWay: number;
  /** Messages of the event stream it has dealt with: `analytics` alone takes any. */
  messages: number;
  memoryBytes: number;
}

/** Long enough for a process that is busy, in ms. */
const ANSWER_LIMIT_MS = 5_000;

/** Asks every process what it has done. */
export async function readShares({ processes }: Pick<Distributed, 'processes'>): Promise<Share[]> {
  const shares = await Promise.all(
    SERVICES.flatMap((service) => processes[service].map((process) => readShare(service, process))),
  );
  for (const share of shares) {
    const all = shares.filter(({ service }) => service === share.service);
    const total = all.reduce((sum, { requests }) => sum + requests, 0);
    share.share = total === 0 ? 0 : share.requests / total;
  }
  return shares;
}

async function readShare(service: DistributedService, process: ServiceProcess): Promise<Share> {
  const { name, url } = process;
  const [pid = null] = process.processes();
  const [metrics, ready] = await Promise.all([ask(`${url}/metrics`), ask(`${url}/readyz`)]);
  const text = metrics?.text ?? '';
  const [answered, underWay] =
    service === 'gateway'
      ? ['http_requests_total', 'http_requests_under_way']
      : ['bus_requests_total', 'bus_requests_under_way'];
  return {
    service,
    name,
    url,
    pid,
    share: 0,
    isReady: ready?.isOk ?? false,
    // Static requests are left out: this look at the process makes some itself.
    requests: sumOf(text.replaceAll(/^.*kind="static".*$/gm, ''), answered),
    underWay: sumOf(text, underWay),
    messages: sumOf(text, 'event_messages_total'),
    memoryBytes: sumOf(text, 'process_resident_memory_bytes'),
  };
}

async function ask(url: string): Promise<{ isOk: boolean; text: string } | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS), keepalive: false });
    return { isOk: response.ok, text: await response.text() };
  } catch {
    return null;
  }
}

/** The sum over all labels of a metric in the Prometheus text format; 0 when it is not there. */
export function sumOf(text: string, metric: string): number {
  return Array.from(text.matchAll(new RegExp(`^${metric}(?:\\{[^\\n]*\\})? (\\S+)$`, 'gm'))).reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  );
}

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
