// @ts-check

for (const place of document.querySelectorAll('[data-copy]')) offerCopy(place);

/**
 * Gives an element with `data-copy` (the button's accessible name) a button that copies the element's text.
 *
 * @param {Element} place
 */
export function offerCopy(place) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', place.getAttribute('data-copy') ?? 'Copy');
  // The button's name stays what it does; what came of it is said besides.
  const outcome = document.createElement('span');
  outcome.className = 'visually-hidden';
  outcome.setAttribute('role', 'status');
  const source = place.firstElementChild;
  button.addEventListener('click', async () => {
    const text = (await copy(source)) ? 'Copied' : 'Press Ctrl+C';
    button.textContent = text;
    outcome.textContent = text;
    setTimeout(() => {
      button.textContent = 'Copy';
      outcome.textContent = '';
    }, 2000);
  });
  place.append(button, outcome);
}

/**
 * Browsers give the clipboard to secure pages only; elsewhere the text is selected for the reader to copy.
 *
 * @param {Element | null} source
 * @returns {Promise<boolean>}
 */
async function copy(source) {
  if (!source) return false;
  try {
    await navigator.clipboard.writeText(source.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(source);
    return false;
  }
}
