import { assertShortEnough, type RenderedPage, type RenderInput } from './document.ts';
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

function answer(input: RenderInput): WorkerMessage {
  try {
    const page = input.format === 'MARKDOWN' ? renderMarkdown(input) : renderText(input);
    assertShortEnough(page.html, input);
    return { kind: 'page', page };
  } catch (error) {
    return {
      kind: 'failed',
      reason: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    };
  }
}
