/** A file, and its path within the folder it was chosen with. */
export interface ChosenFile {
  readonly file: File;
  readonly path: string;
}

/** Folders hold what belongs to the computer and not to the site; the server would leave it out as well. */
export const belongsToSite = (path: string): boolean => !/^__MACOSX(\/|$)|(^|\/)\./.test(path);

/** The files that were dropped, those of dropped folders included. */
export async function filesOf(transfer: DataTransfer | null): Promise<ChosenFile[]> {
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

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

async function filesBelow(entry: FileSystemEntry): Promise<ChosenFile[]> {
  const path = entry.fullPath.slice(1);
  if (isFile(entry)) {
    const { promise, resolve, reject } = Promise.withResolvers<File>();
    entry.file(resolve, reject);
    return [{ file: await promise, path }];
  }
  if (!isDirectory(entry) || !belongsToSite(path)) return [];
  const reader = entry.createReader();
  const found: ChosenFile[][] = [];
  // A folder gives its entries in parts, the last of them empty.
  for (;;) {
    const { promise, resolve, reject } = Promise.withResolvers<FileSystemEntry[]>();
    reader.readEntries(resolve, reject);
    const entries = await promise;
    if (entries.length === 0) return found.flat();
    found.push(...(await Promise.all(entries.map(filesBelow))));
  }
}
