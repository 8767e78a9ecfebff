/** Size of the pages that are published and read here. */
export const PAGE_BYTES = 10_240;

/** An HTML page of exactly 10 KB whose bytes no other number gives. */
export function pageBytes(number: number): Uint8Array {
  const start = `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Page ${number}</title></head><body>\n`;
  const end = '</body></html>\n';
  const line = '<p>A paragraph of ordinary length, as a page for reading has many of them.</p>\n';
  const filling = line.repeat(Math.ceil(PAGE_BYTES / line.length));
  return Buffer.from(start + filling.slice(0, PAGE_BYTES - start.length - end.length) + end);
}
