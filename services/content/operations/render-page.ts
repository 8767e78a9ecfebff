import type { CallContext } from '../../../shared/call-context.ts';
import type { PageFormat } from '../../../shared/items/content.ts';
import { putReserved } from '../../../shared/items/put-reserved.ts';
import { readBlob } from '../../../shared/items/read-blob.ts';
import { assertInTime } from '../../../shared/items/write-in-time.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { plainTextPage } from '../render/plain-text.ts';
import type { RenderInput } from '../render/renderer.ts';

/** The fields of a page that its rendering depends on. */
export interface RenderSource {
  format: PageFormat;
  language: string | null;
  /** The owner's title, or for HTML the one found in the page. */
  title: string | null;
  filename: string | null;
  blob: { key: string };
}

/**
 * Renders markdown and text once, into a blob of its own; stored HTML is shown as it is. When the renderer gives up
 * (its deadline, or content it cannot handle) people get the plain text.
 * @throws TIMEOUT when nobody waits for the page any more, or would when it is stored; UNAVAILABLE
 */
export async function renderPage(
  deps: ContentDependencies,
  source: RenderSource,
  context: CallContext,
): Promise<{ renderedKey: string | null; title: string }> {
  const { format, language, filename } = source;
  if (format === 'HTML') return { renderedKey: null, title: source.title ?? filename ?? '' };
  assertInTime(context, 'rendering');
  const content = await contentOf(deps, source);
  const page = { format, language, content, title: source.title, filename };
  const { html, title } = await renderOrPlain(deps, page, context);
  return { renderedKey: await store(deps, html), title };
}

/**
 * Renders the text of a file. Markdown is rendered as a page and as a source with line numbers, both in one blob, the page first.
 * @throws as `renderPage`
 */
export async function renderFile(
  deps: ContentDependencies,
  source: Omit<RenderSource, 'format'>,
  context: CallContext,
): Promise<{ renderedKey: string; sourceAt?: number }> {
  assertInTime(context, 'rendering');
  const content = await contentOf(deps, source);
  const { language, title, filename } = source;
  const input = { language, content, title, filename };
  const text = await renderOrPlain(deps, { ...input, format: 'TEXT' }, context);
  if (language !== 'markdown') return { renderedKey: await store(deps, text.html) };
  const page = await renderOrPlain(deps, { ...input, format: 'MARKDOWN' }, context);
  const renderedKey = await store(deps, page.html + text.html);
  return { renderedKey, sourceAt: Buffer.byteLength(page.html) };
}

const contentOf = async (
  { blobs }: ContentDependencies,
  { blob }: Pick<RenderSource, 'blob'>,
): Promise<string> => new TextDecoder().decode(await readBlob(blobs, blob.key));

const store = (deps: ContentDependencies, document: string): Promise<string> =>
  putReserved(deps, new TextEncoder().encode(document));

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
