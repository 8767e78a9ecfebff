import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import type { OwnViews } from '../auth/signed-tokens.ts';
import { shownProof, type UnlockCookies } from '../auth/unlock-proofs.ts';
import { isSet } from '../http/parameters.ts';
import { isPageNavigation } from '../http/preferred-type.ts';
import type { RequestContext } from '../http/request-context.ts';
import { BEGINNING_BYTES } from '../pages/item-parts.ts';
import { isListed } from './content-headers.ts';
import type { ContentLocation, ContentReader } from './content-reader.ts';
import { previewUrl } from './item-address.ts';

/** Whether a person opens the address in a tab and asks for no bytes (specification 9.2). */
export function wantsPage(context: RequestContext): boolean {
  if (!isPageNavigation(context.request)) return false;
  return context.search === '' || !['raw', 'dl'].some((flag) => isSet(context.query(), flag));
}

export interface ViewerAddresses {
  /** The bytes, for the page itself: with a ticket, as no cookie goes along, and without counting a second view. */
  mediaUrl: string;
  downloadUrl: string;
  /** The bytes, for a person who follows the link. */
  rawUrl: string;
  reportUrl: string;
  /** Absolute addresses of a listed item: where search engines are to find it, and its picture for links to it. */
  publicUrl?: string;
  previewUrl?: string;
}

export interface ViewerOptions {
  cookies: UnlockCookies;
  ownViews: OwnViews;
  /** The host of the items, where they have one of their own. */
  contentBaseUrl: string | null;
}

/** The addresses that the page of an item leads to, and loads from. */
export function viewerAddresses(
  { cookies, ownViews, contentBaseUrl }: ViewerOptions,
  context: RequestContext,
  record: LiveItemRecord,
): ViewerAddresses {
  const { namespace, id, passwordHash } = record;
  const path = `/${namespace}/${id}`;
  const address = context.itemHost === null ? path : `${context.itemHost.origin}/`;
  const ticket = passwordHash === null ? '' : `&ticket=${cookies.ticket(record, shownProof(context))}`;
  return {
    mediaUrl: `${address}?raw=true${ticket}&${ownViews.parameterFor(context, record)}`,
    downloadUrl: `${address}?dl=true${ticket}`,
    rawUrl: `${address}?raw=true`,
    reportUrl: `${context.baseUrl}/report?item=${encodeURIComponent(`${namespace}/${id}`)}`,
    ...(isListed(record)
      ? {
          publicUrl: `${contentBaseUrl ?? context.baseUrl}${path}`,
          previewUrl: previewUrl(context.baseUrl, record),
        }
      : {}),
  };
}

/** How a text begins, and whether that is all of it. */
export interface Beginning {
  beginning: string;
  isWhole: boolean;
}

/** The beginning of a text; a character that is cut is left out. */
export async function beginningOf(
  reader: ContentReader,
  location: ContentLocation,
  context: RequestContext,
): Promise<Beginning> {
  const end = Math.min(location.length, BEGINNING_BYTES) - 1;
  const bytes = end < 0 ? new Uint8Array() : await reader.read(location, { start: 0, end }, context);
  const text = new TextDecoder().decode(await new Response(bytes).bytes(), { stream: true });
  return { beginning: text, isWhole: location.length <= BEGINNING_BYTES };
}
