import { assertShortEnough, type RenderedPage, type RenderInput } from './document.ts';
import { endWithParent } from './end-with-parent.ts';
import { renderMarkdown } from './markdown.ts';
import { renderText } from './text.ts';

/** Messages of the process: `ready` once, then `begun` and one result for each job, in the order of the jobs. */
export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'begun' }
  | { readonly kind: 'page'; readonly page: RenderedPage }
  | { readonly kind: 'failed'; readonly reason: string };

// The terminal and the service manager signal all processes of Perch: this one ends with the one that renders by it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
endWithParent();
process.on('disconnect', () => process.exit());
process.on('message', (input: RenderInput) => {
  tell({ kind: 'begun' });
  tell(answer(input));
});
tell({ kind: 'ready' });

function tell(message: WorkerMessage): void {
  if (!process.connected) process.exit();
  process.send?.(message);
}

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
