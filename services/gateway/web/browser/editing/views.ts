import type { Preview } from './preview.ts';

export type View = 'edit' | 'both' | 'preview';

/** Lets the reader choose between source, preview and both. A narrow page shows the source of both alone. */
export function offerViews(place: HTMLElement, preview: Preview, first: View): void {
  const buttons = place.querySelectorAll<HTMLButtonElement>('.editing-views [data-view]');
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
  const group = place.querySelector<HTMLElement>('.editing-views');
  if (group !== null) group.hidden = false;
  show();
}
