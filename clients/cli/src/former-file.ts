import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type ItemRef, type Perch, PerchError } from 'perch-client';
import { listOf } from './answers.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { CommandError, EXIT } from './failures.ts';
import type { CreateSettings, Upload } from './publishing.ts';

/** A file as it is before its replacement, to be made anew when the new one is refused. */
export interface Former {
  listed: Awaited<ReturnType<Perch['files']['list']>>[number];
  content: Blob;
  hosting: Awaited<ReturnType<Perch['files']['hosting']>>;
}

/** @throws CommandError when the file could not be made anew with what it has */
export async function readFormer(
  perch: Perch,
  item: ItemRef,
  { password }: CreateSettings,
  { ownerToken }: Upload,
): Promise<Former> {
  const address = `${item.namespace}/${item.id}`;
  const files = listOf(await perch.files.list({ ns: item.namespace, ownerToken }));
  const listed = files.find(({ id }) => id === item.id);
  if (listed?.hasPassword === true && password === undefined)
    throw new CommandError(
      `${address} has a password, and would be made anew without one. Give it with --password.`,
    );
  const content = await (await perch.files.read(item, { ownerToken })).blob();
  // One that the operator has hidden is in no list.
  if (listed === undefined)
    throw new CommandError(
      `${address} is not in the list of what you own: it is not yours, or it is hidden, and would be made anew without its password, tags and days.`,
      EXIT.notAllowed,
    );
  await refuseDomain(perch, item, ownerToken);
  return { listed, content, hosting: await perch.files.hosting(item, { ownerToken }) };
}

/** @throws CommandError for a file with a domain: that would be lost, as the TXT record is for the file that has it now */
async function refuseDomain(perch: Perch, item: ItemRef, ownerToken: string | undefined): Promise<void> {
  const address = `${item.namespace}/${item.id}`;
  const claimed = await perch.domain(item, { ownerToken }).catch((error: unknown) => {
    if (error instanceof PerchError && (error.status === 404 || error.code === 'DOMAINS_DISABLED'))
      return null;
    throw error;
  });
  if (claimed === null) return;
  throw new CommandError(
    `${address} has the domain ${claimed.domain}. A file is removed and made anew, and the domain would go with it: a new file needs another TXT record. It stays as it is. Publish the new file at an address of its own (perch publish --new) and give the domain to that, or take the domain away first: perch domain ${address} --remove`,
    EXIT.refused,
  );
}

/** Writes a file that no server has any more where nothing else is; its path. */
export async function rescue({ listed, content }: Former): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'perch-former-')), basename(listed.filename));
  await writeFileAtomically(path, content.stream(), 0o600);
  return path;
}
