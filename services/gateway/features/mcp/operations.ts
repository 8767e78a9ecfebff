import type { RequestContext } from '../../http/request-context.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';

type Answer = Promise<Response>;

/** A file that a tool was given whole. */
export interface GivenFile {
  bytes: Uint8Array;
  filename: string;
}

/**
 * The operations that tools call: the functions that answer the endpoints, under the ids that the operations have in the
 * interface document. Each counts against the client's limits as its endpoint does, and throws what that answers as an
 * error.
 */
export interface McpOperations {
  publishPage(context: RequestContext): Answer;
  updatePage(context: RequestContext, address: ItemAddress): Answer;
  readPage(context: RequestContext, address: ItemAddress): Answer;
  uploadFile(context: RequestContext, file: GivenFile): Answer;
  publishSite(context: RequestContext): Answer;
  replaceSite(context: RequestContext, address: ItemAddress): Answer;
  createDocument(context: RequestContext): Answer;
  readDocument(context: RequestContext, address: ItemAddress): Answer;
  updateDocument(context: RequestContext, address: ItemAddress): Answer;
  createStore(context: RequestContext): Answer;
  readStore(context: RequestContext, address: ItemAddress): Answer;
  readKey(context: RequestContext, address: ItemAddress & { key: string }): Answer;
  writeKey(context: RequestContext, address: ItemAddress & { key: string }): Answer;
  removeKey(context: RequestContext, address: ItemAddress & { key: string }): Answer;
  removeItem(context: RequestContext, address: ItemAddress): Answer;
  randomNamespace(context: RequestContext): Promise<string>;
  listGallery(context: RequestContext): Answer;
  readStats(context: RequestContext): Answer;
  listOwnedItems(context: RequestContext): Answer;
  renewItem(context: RequestContext, address: ItemAddress): Answer;
  readLimits(context: RequestContext): Answer;
}

export type McpOperation = keyof McpOperations;
