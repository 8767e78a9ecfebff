import type { CallContext } from '../../../shared/contracts/operation.ts';
import type { PageFormat } from '../../../shared/items/content.ts';
import { readBlob } from '../../../shared/items/read-blob.ts';
import { assertInTime } from '../../../shared/items/write-in-time.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { plainTextPage } from '../render/plain-text.ts';
import type { RenderInput } from '../render/renderer.ts';

/** The fields of a page that its rendering depends on. */
export interface ViewSource {
  format: PageFormat;
  language: string | null;
  /** The owner's title, or for HTML the one found in the page. */
  title: string | null;
  filename: string | null;
  blob: { key: string };
}

/**
 * Renders markdown and text once, into a blob of its own; stored HTML is its own view. When the renderer gives up
 * (its deadline, or content it cannot handle) people get the plain text.
 * @throws TIMEOUT when nobody waits for the page any more, or would when it is stored; UNAVAILABLE
 */
export async function renderView(
  deps: ContentDependencies,
  source: ViewSource,
  context: CallContext,
): Promise<{ viewKey: string | null; title: string }> {
  const { format, language, filename } = source;
  if (format === 'HTML') return { viewKey: null, title: source.title ?? filename ?? '' };
  assertInTime(context, 'rendering');
  const content = new TextDecoder().decode(await readBlob(deps.blobs, source.blob.key));
  const page = { format, language, content, title: source.title, filename };
  const { html, title } = await renderOrPlain(deps, page, context);
  const viewKey = await deps.blobKeys.take();
  await deps.blobs.put(viewKey, new TextEncoder().encode(html));
  return { viewKey, title };
}

/** A page rendered for people, or its plain text where the renderer gives up. @throws TIMEOUT, UNAVAILABLE */
export async function renderOrPlain(
  { renderer }: Pick<ContentDependencies, 'renderer'>,
  page: RenderInput,
  context: CallContext,
): Promise<{ html: string; title: string }> {
  const rendered = await renderer.render(page, context);
  const title = rendered?.title ?? page.title ?? page.filename ?? '';
  return { html: rendered?.html ?? plainTextPage({ content: page.content, title }), title };
}
