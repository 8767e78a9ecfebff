import type { previewHtml as contract } from '../../../shared/contracts/html.ts';
import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { assertInTime } from '../../../shared/items/write-in-time.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { plainTextPage } from '../render/plain-text.ts';
import { renderOrPlain } from './render-page.ts';

/** Most bytes of a reply as JSON: what is above goes as plain text, which the bus can carry whatever it is. */
const MAX_REPLY_BYTES = 7 * 1_048_576;

/**
 * Renders a page as people would see it. Nothing is stored.
 * @throws TIMEOUT when nobody waits for it any more; UNAVAILABLE when the renderer's queue is full
 */
export async function previewHtml(
  deps: Pick<ContentDependencies, 'renderer'>,
  input: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  assertInTime(context, 'rendering');
  const page = await renderOrPlain(deps, input, context);
  if (Buffer.byteLength(JSON.stringify(page)) <= MAX_REPLY_BYTES) return page;
  const { title } = page;
  return { html: plainTextPage({ content: input.content, title }), title };
}
