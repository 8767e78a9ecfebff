import { findItem, refuseEmptyParts, refusePart } from '../address.ts';
import { listOf, withTexts } from '../answers.ts';
import type { Command } from '../call.ts';
import { defined } from '../defined.ts';
import { CommandError, EXIT } from '../failures.ts';
import { sizeOf } from '../output.ts';
import { dropRecord, findRecord } from '../records.ts';
import { openInBrowser, qrOf } from '../show-address.ts';
import { withoutPassword } from '../without-password.ts';

const KINDS = ['html', 'json', 'kv', 'file', 'site'] as const;
/** The most that the service lists at once. */
const PAGE_SIZE = 1000;

export const LS: Command = {
  name: 'ls',
  usage: 'ls',
  summary: 'list what you have published on the server, newest first',
  options: [
    { name: 'ns', value: 'NAME', help: 'of this namespace only' },
    { name: 'kind', value: 'KIND', help: `of this kind only: ${KINDS.join(', ')}` },
  ],
  async run(call) {
    call.expect(0, 0, 'ls');
    const { perch, ownerToken } = await call.owner();
    const kind = call.oneOf('kind', KINDS);
    const found = [];
    if (ownerToken !== undefined)
      for (let page = 1, pages = 1; page <= pages; page++) {
        const part = await perch.items({ ownerToken, page, size: PAGE_SIZE, ...(kind && { kind }) });
        found.push(...listOf(part.items));
        pages = part.pages;
      }
    const ns = call.text('ns');
    const items = found.filter(({ namespace }) => ns === undefined || namespace === ns);
    const rows = items.map(({ type, sizeBytes, expiresAt, url, title }) =>
      [type.padEnd(4), sizeOf(sizeBytes).padStart(9), expiresAt.slice(0, 10), url, title ?? '']
        .join('  ')
        .trimEnd(),
    );
    call.output.result(rows.join('\n'), items);
    if (ownerToken === undefined) call.output.note(`No owner token is kept for ${perch.url}.`);
    else if (items.length === 0) call.output.note(`Nothing of yours is on ${perch.url}.`);
  },
};

export const RM: Command = {
  name: 'rm',
  usage: 'rm ADDRESS…',
  options: [],
  takesPaths: true,
  summary: 'remove items, or keys of stores, for good',
  async run(call) {
    call.expect(1, Number.POSITIVE_INFINITY, 'rm ADDRESS…');
    for (const address of call.args) {
      const { perch, ownerToken } = await call.owner(address);
      if ((await findRecord(address, perch.url)) === null) refuseEmptyParts(address);
      const { item, kind, rest, url, path } = await findItem(call, perch, address, ownerToken);
      if (rest !== null && kind !== 'kv')
        throw new CommandError(
          `${withoutPassword(address)} is a part of ${url}, and cannot be removed alone.`,
          EXIT.refused,
        );
      const options = { ownerToken };
      if (rest !== null) await perch.kv.removeKey(item, rest, options);
      else if (kind === 'kv') await perch.kv.remove(item, options);
      else if (kind === 'html') await perch.pages.remove(item, options);
      else if (kind === 'json') await perch.json.remove(item, options);
      else if (kind === 'file') await perch.files.remove(item, options);
      else await perch.sites.remove(item, options);
      if (path !== null) await dropRecord(path, perch.url);
      call.output.note(`removed ${rest === null ? url : `${url}/${rest}`}`);
    }
  },
};

export const RENEW: Command = {
  name: 'renew',
  usage: 'renew ADDRESS…',
  takesPaths: true,
  summary: 'restart the lifetime of items, from now',
  options: [
    { name: 'ttl', value: 'DAYS', help: 'days until they are deleted, 1 to 30; else as many as before' },
  ],
  async run(call) {
    call.expect(1, Number.POSITIVE_INFINITY, 'renew ADDRESS…');
    const ttl = call.text('ttl');
    for (const address of call.args) {
      const { perch, ownerToken } = await call.owner(address);
      const found = await findItem(call, perch, address, ownerToken);
      refusePart(found, address, 'is renewed as a whole');
      const { item, url } = found;
      const renewed = withTexts(await perch.renew(item, { ownerToken, ...defined({ ttl }) }), 'expiresAt');
      call.output.result(`${renewed.expiresAt}  ${url}`, { ...item, ...renewed, url });
    }
  },
};

export const OPEN: Command = {
  name: 'open',
  usage: 'open ADDRESS',
  takesPaths: true,
  summary: 'show an item in the browser',
  options: [{ name: 'qr', help: 'show its address as a QR code instead' }],
  async run(call) {
    call.expect(1, 1, 'open ADDRESS');
    const [address = ''] = call.args;
    const { perch, ownerToken } = await call.owner(address);
    const { url, rest } = await findItem(call, perch, address, ownerToken);
    const whole = rest === null ? url : `${url}/${rest.split('/').map(encodeURIComponent).join('/')}`;
    if (call.has('qr')) call.output.picture(await qrOf(whole));
    else await openInBrowser(whole);
    call.output.result(whole, { url: whole });
  },
};
