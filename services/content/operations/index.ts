export { createPage } from './create-page.ts';
export { describePage } from './describe-page.ts';
export { ping } from './ping.ts';
export { removePage } from './remove-page.ts';
export { reserveBlobs } from './reserve-blobs.ts';
export { resolveCode } from './resolve-code.ts';
export { resolveItem } from './resolve-item.ts';
export { updatePage } from './update-page.ts';
