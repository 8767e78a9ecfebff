import { editing as texts } from '../../texts/page-language.ts';
import { within } from '../elements.ts';
import type { PageFormat } from '../publish/content-kinds.ts';
import { reasonIn } from '../refusal.ts';

/** A page as it is being written. */
interface Draft {
  readonly text: string;
  readonly format: PageFormat;
  /** Language of a text, for its colours. */
  readonly language: string | null;
  readonly title: string;
}

type View = 'edit' | 'both' | 'preview';

/**
 * Lets the reader choose between source, preview and both. A narrow page shows the source of both alone. Returns what is to be
 * called when the draft has changed.
 */
export function offerPreview(place: HTMLElement, first: View, draftOf: () => Draft): () => void {
  const preview = createPreview(place, draftOf);
  const group = within(place, '.editing-views', HTMLElement);
  const buttons = group.querySelectorAll<HTMLButtonElement>('[data-view]');
  const isNarrow = matchMedia('(max-width: 48rem)');
  let chosen = first;
  const show = (): void => {
    const view = chosen === 'both' && isNarrow.matches ? 'edit' : chosen;
    place.dataset.view = view;
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.view === view));
    preview.toggle(view !== 'edit');
  };
  for (const button of buttons)
    button.addEventListener('click', () => {
      chosen = (button.dataset.view ?? 'edit') as View;
      show();
    });
  isNarrow.addEventListener('change', show);
  addEventListener('online', preview.update);
  group.hidden = false;
  show();
  return preview.update;
}

/** Time after the last change before a preview is made, in ms. */
const TYPING_MS = 350;

/** Types of texts that the server knows the language of by their names. */
const LANGUAGES = new Set(['yaml', 'xml', 'csv', 'css', 'javascript', 'toml']);

/**
 * Shows a draft in a sandbox. Markdown and text are rendered by the server, one after the other: while one is being made,
 * changes wait for the next.
 */
function createPreview(place: HTMLElement, draftOf: () => Draft) {
  const pane = within(place, '.editing-preview', HTMLElement);
  const said = within(pane, '.editing-said', HTMLElement);
  const frame = sandbox(pane, place.dataset.frame ?? '');
  let isShown = false;
  let isMaking = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shown: string | null = null;

  const say = (text: string): void => {
    said.textContent = text;
    said.hidden = text === '';
  };

  const make = async (): Promise<void> => {
    if (isMaking || !isShown) return;
    const draft = draftOf();
    const key = JSON.stringify(draft);
    if (key === shown) return;
    shown = key;
    if (draft.text.trim() === '') {
      frame.clear();
      return say(texts.nothing);
    }
    isMaking = true;
    let hasFailed = false;
    try {
      const markup = draft.format === 'HTML' ? draft.text : await rendered(draft);
      frame.show({ html: markup, runs: draft.format === 'HTML' });
      say('');
    } catch (error) {
      hasFailed = true;
      say(error instanceof Error ? error.message : texts.noPreview);
    } finally {
      isMaking = false;
    }
    if (!hasFailed || JSON.stringify(draftOf()) !== key) return await make();
    // When it is asked for once more it is tried again, not before.
    shown = null;
  };

  return {
    update(): void {
      clearTimeout(timer);
      if (isShown) timer = setTimeout(make, TYPING_MS);
    },
    /** Shows it from now on, or no longer. */
    toggle(show: boolean): void {
      isShown = show;
      pane.hidden = !show;
      if (show) void make();
    },
  };
}

/** A draft as its readers would see it. @throws Error why there is none, for the reader */
async function rendered({ text, format, language, title }: Draft): Promise<string> {
  const query = new URLSearchParams();
  if (title.trim() !== '') query.set('title', title.trim().slice(0, 200));
  const isKnown = format === 'TEXT' && language !== null && LANGUAGES.has(language);
  if (!isKnown) query.set('format', format);
  const response = await fetch(`/api/preview?${query}`, {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': isKnown ? `text/${language}` : 'text/plain' },
    body: text,
  }).catch(() => null);
  if (response === null) throw new Error(texts.noPreview);
  if (!response.ok) throw new Error(await reasonIn(response));
  const { html } = (await response.json().catch(() => ({}))) as { html?: string };
  if (html === undefined) throw new Error(texts.noPreview);
  return html;
}

/** The message to the frame (`parts/preview-frame.ts`). */
export interface FrameContent {
  readonly html: string;
  /** Whether its scripts run, as those of a published HTML page would. */
  readonly runs: boolean;
}

/**
 * The frame of the preview: a page without an origin, which can read nothing of this one. Each change runs its scripts once
 * more, so they get neither dialogs nor downloads. The frame is made anew after it has navigated elsewhere: another page must
 * not get to see the draft.
 */
function sandbox(pane: HTMLElement, address: string) {
  let frame: HTMLIFrameElement | null = null;
  let content: FrameContent | null = null;
  let isReady = false;

  const make = (): void => {
    frame?.remove();
    isReady = false;
    const made = document.createElement('iframe');
    made.title = texts.preview;
    made.setAttribute('sandbox', 'allow-scripts allow-forms allow-popups');
    made.addEventListener('load', () => {
      if (frame !== made) return;
      if (isReady) return make();
      isReady = true;
      send();
    });
    made.src = address;
    frame = made;
    pane.append(made);
  };
  const send = (): void => {
    // Without an origin it can be addressed by no name; it was loaded from this server just now.
    if (isReady && content !== null) frame?.contentWindow?.postMessage(content, '*');
  };

  return {
    show(next: FrameContent): void {
      content = next;
      if (frame === null) make();
      else send();
    },
    clear(): void {
      frame?.remove();
      frame = null;
      content = null;
    },
  };
}
