// @ts-check

/** @typedef {{ file: File, path: string }} ChosenFile a file, and its path within the folder it was chosen with */

/** Folders hold what belongs to the computer and not to the site; the server would leave it out as well. */
export const belongsToSite = (/** @type {string} */ path) => !/^__MACOSX(\/|$)|(^|\/)\./.test(path);

/**
 * The files that were dropped, those of dropped folders included.
 *
 * @param {DataTransfer | null} transfer
 * @returns {Promise<ChosenFile[]>}
 */
export async function filesOf(transfer) {
  // The items are gone once the event is over.
  const dropped = [...(transfer?.items ?? [])].map((item) => ({
    entry: item.webkitGetAsEntry(),
    file: item.getAsFile(),
  }));
  const found = await Promise.all(
    dropped.map(async ({ entry, file }) =>
      entry ? await filesBelow(entry) : file ? [{ file, path: file.name }] : [],
    ),
  );
  return found.flat();
}

/**
 * @param {FileSystemEntry} entry
 * @returns {Promise<ChosenFile[]>}
 */
async function filesBelow(entry) {
  const path = entry.fullPath.slice(1);
  if (entry.isFile) {
    const { promise, resolve, reject } = Promise.withResolvers();
    /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject);
    return [{ file: await promise, path }];
  }
  if (!belongsToSite(path)) return [];
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  const found = [];
  // A folder gives its entries in parts, the last of them empty.
  for (;;) {
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return found.flat();
    found.push(...(await Promise.all(entries.map(filesBelow))));
  }
}
