import { isRefusal, OWNER_TOKEN, type Seen, send, statusOf } from './client.ts';
import { insist } from './insist.ts';
import { archiveOf, filesOf, type SiteFiles } from './site-versions.ts';

/** Sites that are replaced and created while processes die, and what must be true of them afterwards. */
export interface SiteTraffic {
  /**
   * Sends a new version of some sites, and one more site, all at once; ends when all are settled.
   * `onAcknowledged` is called at the first acknowledgement.
   */
  send(address: string, onAcknowledged?: () => void): Promise<void>;
  /** Reads every file of the sites that were sent last; the broken promises. */
  verify(address: string): Promise<string[]>;
  /** The same of all sites there have been. */
  verifyAll(address: string): Promise<string[]>;
  /** How many uploads were acknowledged, and how many were not. */
  counts(): { acknowledged: number; unsettled: number };
}

interface Site {
  id: string;
  /** The oldest version that may be there, 0 being none, and the newest one that was sent. */
  standing: number;
  sent: number;
}

/** So many are sent at once. */
const SITES = 5;

/** All sites get their first version here. `mayBreakOff`: connections may break, as where a gateway is killed. */
export async function startSiteTraffic(address: string, mayBreakOff: boolean): Promise<SiteTraffic> {
  const name = crypto.randomUUID().slice(0, 8);
  const sites = Array.from({ length: SITES }, (_, n): Site => ({ id: `${name}-${n}`, standing: 0, sent: 0 }));
  const faults: string[] = [];
  let acknowledged = 0;
  let unsettled = 0;

  const upload = async (base: string, site: Site): Promise<boolean> => {
    const version = ++site.sent;
    const seen = await put(base, site, version);
    const isDone = statusOf(seen) === (site.standing === 0 ? 201 : 200);
    if (isDone) {
      site.standing = version;
      acknowledged += 1;
    } else {
      unsettled += 1;
      const allowed = seen.answered ? isRefusal(seen) : mayBreakOff;
      if (!allowed) faults.push(`${site.id}: version ${version} got ${JSON.stringify(seen).slice(0, 300)}`);
    }
    return isDone;
  };
  const check = async (base: string, some: Site[]): Promise<string[]> => {
    await Promise.all(
      some.map(async (site) => {
        const found = await findVersion(base, site);
        if (typeof found === 'string') faults.push(`${site.id}: ${found}`);
        else site.standing = found;
      }),
    );
    return faults.splice(0);
  };

  let latest = sites;
  const prepared = await Promise.all(sites.map((site) => upload(address, site)));
  if (prepared.includes(false)) throw new Error(`the sites could not be prepared: ${faults}`);
  return {
    async send(base, onAcknowledged = () => undefined) {
      const site: Site = { id: `${name}-${sites.length}`, standing: 0, sent: 0 };
      latest = [...latest.filter(({ standing }) => standing > 0).slice(1 - SITES), site];
      sites.push(site);
      let isFirst = true;
      await Promise.all(
        latest.map(async (one) => {
          if ((await upload(base, one)) && isFirst) {
            isFirst = false;
            onAcknowledged();
          }
        }),
      );
    },
    verify: (base) => check(base, latest),
    verifyAll: (base) => check(base, sites),
    counts: () => ({ acknowledged, unsettled }),
  };
}

async function put(base: string, { id, standing }: Site, version: number): Promise<Seen> {
  const [method, path] = standing === 0 ? ['POST', `?ns=faults&id=${id}`] : ['PUT', `/faults/${id}`];
  const headers = { 'Content-Type': 'application/zip', 'X-Owner-Token': OWNER_TOKEN };
  const body = archiveOf(filesOf(id, version));
  return await send(`${base}/api/sites${path}`, { method, headers, body });
}

/** The version that is there, whole and byte for byte; else what is wrong. */
async function findVersion(base: string, { id, standing, sent }: Site): Promise<number | string> {
  const record = await insist(() => send(`${base}/api/sites/faults/${id}`));
  if (statusOf(record) === 404) return standing === 0 ? 0 : 'is gone';
  if (!record.answered || record.status !== 200)
    return `its record got ${JSON.stringify(record).slice(0, 300)}`;
  const { files } = JSON.parse(record.text) as { files: Array<{ path: string }> };
  const listed = new Set(files.map(({ path }) => path));
  for (let version = Math.max(1, standing); version <= sent; version++) {
    if (!listed.has(`only-in-${version}.txt`)) continue;
    return (await differenceTo(base, id, filesOf(id, version), listed)) ?? version;
  }
  return `none of the versions ${standing} to ${sent} is there: ${[...listed].join(' ')}`;
}

async function differenceTo(
  base: string,
  id: string,
  files: SiteFiles,
  listed: ReadonlySet<string>,
): Promise<string | null> {
  if (listed.size !== files.size) return `lists ${listed.size} files of ${files.size}`;
  const reads = [...files].map(async ([path, content]) => {
    const seen = await insist(() => send(`${base}/faults/${id}/${path}`));
    return statusOf(seen) === 200 && seen.answered && seen.text === Buffer.from(content).toString();
  });
  const wrong = (await Promise.all(reads)).filter((right) => !right).length;
  return wrong === 0 ? null : `${wrong} files are of no or of another version`;
}
