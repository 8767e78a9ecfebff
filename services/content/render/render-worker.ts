import type { RenderedPage, RenderInput } from './document.ts';
import { renderMarkdown } from './markdown.ts';
import { renderText } from './text.ts';

declare const self: Worker;

/** Messages of the Worker: `ready` once, then one result for each job, in the order of the jobs. */
export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'page'; readonly page: RenderedPage }
  | { readonly kind: 'failed'; readonly reason: string };

self.onmessage = (event: MessageEvent<RenderInput>) => self.postMessage(answer(event.data));
self.postMessage({ kind: 'ready' } satisfies WorkerMessage);

/** Most characters of a rendered page: links that a text defines once and uses often, say, could make hundreds of MB. */
const mostCharacters = (content: string): number => 8 * content.length + 4_000_000;

function answer(input: RenderInput): WorkerMessage {
  try {
    const page = input.format === 'MARKDOWN' ? renderMarkdown(input) : renderText(input);
    if (page.html.length > mostCharacters(input.content)) throw new RangeError('the page would be too long');
    return { kind: 'page', page };
  } catch (error) {
    return {
      kind: 'failed',
      reason: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    };
  }
}
