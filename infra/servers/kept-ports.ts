import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './port.ts';

/**
 * Ports for the servers whose data is in `dir`, the same ones at each start: servers that know one another by their
 * ports keep that in their data.
 */
export async function keptPorts(dir: string, count: number): Promise<number[]> {
  const file = join(dir, 'ports.json');
  const kept: unknown = await readFile(file, 'utf8').then(JSON.parse, () => null);
  if (Array.isArray(kept) && kept.length === count) return kept.map(Number);
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  await mkdir(dir, { recursive: true });
  await writeFile(file, JSON.stringify(ports));
  return ports;
}
