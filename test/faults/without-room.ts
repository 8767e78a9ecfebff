import { expect } from 'bun:test';
import { zipSync } from 'fflate';
import type { Instance } from '../instance.ts';
import {
  createPage,
  OWNER_TOKEN,
  readRaw,
  removePage,
  type Seen,
  send,
  summary,
  updatePage,
} from './client.ts';
import { until } from './waiting.ts';
import { prepareWorkload } from './workload.ts';

/** More bytes than the sweeper may make room for meanwhile. */
export const MUCH = 4 * 1_048_576;

interface WithoutRoom {
  /** Prefix of the pages and sites that are published here. */
  name: string;
  /** One of what a client may be answered. */
  refusals: string[];
  takeAway(): Promise<void>;
  giveBack(): Promise<void>;
}

/** Publishes and replaces while the content store takes no bytes: contents are refused whole, what is there goes on. */
export async function workWithoutRoom(perch: Instance, options: WithoutRoom): Promise<void> {
  const { name, refusals, takeAway, giveBack } = options;
  const [kept, removed] = [`${name}-kept`, `${name}-removed`];
  const content = `<p>${name}`.padEnd(MUCH, ' much');
  for (const id of [kept, removed]) {
    expect(summary(await createPage(perch.url, { id, content: `<p>${id}` }))).toBe('201');
  }
  const workload = await prepareWorkload([perch.url], { creates: 20, updates: 10 });
  await takeAway();
  try {
    await workload.run();
    expect(refusals).toContain(summary(await createPage(perch.url, { id: name, content })));
    expect(summary(await readRaw(perch.url, `/faults/${name}`))).toBe('404 NOT_FOUND');
    expect(refusals).toContain(summary(await updatePage(perch.url, `/faults/${kept}`, content)));
    expect(refusals).toContain(summary(await createSite(perch.url, `${name}-site`, MUCH)));
    // The blob is deleted later, when the store allows it.
    expect(summary(await removePage(perch.url, `/faults/${removed}`))).toBe('204');
    expect(await readRaw(perch.url, `/faults/${kept}`)).toMatchObject({ status: 200, text: `<p>${kept}` });
  } finally {
    await giveBack();
  }
  await until('contents are taken again', async () =>
    ['201', '409 ID_TAKEN'].includes(summary(await createPage(perch.url, { id: name, content }))),
  );
  expect((await workload.verify()).faults).toEqual([]);
  expect(await readRaw(perch.url, `/faults/${kept}`)).toMatchObject({ status: 200, text: `<p>${kept}` });
}

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
