import { readFile, writeFile } from 'node:fs/promises';
import type { Instance } from '../../instance.ts';

/** The memory of the process that a gateway runs in. */
export interface GatewayMemory {
  /** How far the resident memory has risen above what it was at the beginning, at its highest, in bytes. */
  peakGrowth(): Promise<number>;
}

/** Measures from now on (proc(5): writing 5 to `clear_refs` sets the peak back to the present). */
export async function measureGateway({ services }: Instance): Promise<GatewayMemory> {
  const [pid] = (services.embedded ?? services.gateways[0])?.processes() ?? [];
  if (pid === undefined) throw new Error('no gateway runs');
  await writeFile(`/proc/${pid}/clear_refs`, '5');
  const start = await field(pid, 'VmRSS');
  return { peakGrowth: async () => (await field(pid, 'VmHWM')) - start };
}

async function field(pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
  if (kilobytes === undefined) throw new Error(`process ${pid} tells no ${name}`);
  return Number(kilobytes) * 1024;
}
