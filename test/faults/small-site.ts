import { zipSync } from 'fflate';
import { OWNER_TOKEN, type Seen, send } from './client.ts';

/** Publishes a site of two files, one of them with so many bytes. */
export const createSite = (base: string, id: string, bytes: number): Promise<Seen> => {
  const files = {
    'index.html': Buffer.from(`<title>${id}</title>`),
    'filling.txt': Buffer.from(`${id} `.repeat(Math.ceil(bytes / (id.length + 1))).slice(0, bytes)),
  };
  const headers = { 'X-Owner-Token': OWNER_TOKEN, 'Content-Type': 'application/zip' };
  const body = zipSync(files, { level: 0 });
  return send(`${base}/api/sites?ns=faults&id=${id}`, { method: 'POST', headers, body });
};
