import { confirmIn } from '../dialogs.ts';

/** Asks before a page is left whose changes are not saved: by a link in the page's own words, else in the browser's. */
export function guardLeaving(isChanged: () => boolean): void {
  let isLeaving = false;
  addEventListener('beforeunload', (event) => {
    if (!isLeaving && isChanged()) event.preventDefault();
  });
  document.addEventListener('click', async (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isElsewhere =
      event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (link === null || isElsewhere || link.target !== '' || link.hasAttribute('download') || !isChanged())
      return;
    if (link.origin === location.origin && link.pathname === location.pathname && link.hash !== '') return;
    event.preventDefault();
    if (!(await confirmIn('leave'))) return;
    isLeaving = true;
    location.assign(link.href);
  });
}
