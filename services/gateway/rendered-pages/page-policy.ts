import type { ItemRecordOf } from '../../../shared/items/item-record.ts';
import {
  type ContentOrigin,
  contentPolicy,
  isScriptless,
  type Policy,
  SANDBOX,
} from '../items/content-headers.ts';
import { TOP_BAR_SCRIPT_SHA256 } from '../pages/top-bar.ts';
import type { Variant } from './rendered-pages.ts';
import { DIAGRAMS_SHA256, LINE_LINKS_SHA256 } from './rendering-scripts.ts';
import { TEXT_ACTIONS_SHA256 } from './text-actions.ts';

/**
 * Our own rendering runs no scripts but these: the top bar's, which may ask for the events of the page, those of texts, and that of diagrams,
 * which loads a library.
 */
const RENDERED = `${SANDBOX} allow-scripts; default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; img-src http: https: data:; script-src 'sha256-${TOP_BAR_SCRIPT_SHA256}' 'sha256-${LINE_LINKS_SHA256}' 'sha256-${TEXT_ACTIONS_SHA256}' 'sha256-${DIAGRAMS_SHA256}' 'strict-dynamic'; base-uri 'none'; form-action 'none'`;

/** A page's own content, or our rendering of it. */
export function pagePolicy(record: ItemRecordOf<'html'>, variant: Variant, origin: ContentOrigin): Policy {
  const { contentType, viewKey } = record.content;
  if (variant !== 'raw' && (viewKey !== null || isScriptless(contentType)))
    return { 'Content-Security-Policy': RENDERED };
  return contentPolicy(contentType, origin, record.passwordHash !== null);
}

/** Our rendering of a text that people have uploaded. */
export const renderedPolicy = (): string => RENDERED;
