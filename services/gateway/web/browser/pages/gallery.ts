/**
 * The gallery, as somebody types: asks for the page that the form names, and takes its parts over into this one. The
 * address follows, so that what is seen can be shared, and is found again by going back.
 */
import { gallery as texts } from '../../texts/page-language.ts';
import { clickedLink, find } from '../elements.ts';
import { reasonIn } from '../refusal.ts';

const TYPING_MS = 250;

const form = find('gallery-form', HTMLFormElement);
const search = find('q', HTMLInputElement);
const count = find('gallery-count', HTMLElement);
const results = find('gallery-results', HTMLElement);
const failure = find('gallery-error', HTMLElement);

let asking: AbortController | null = null;
let typing: ReturnType<typeof setTimeout> | undefined;

search.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(showForm, TYPING_MS);
});
for (const field of form.elements) if (field !== search) field.addEventListener('change', showForm);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  showForm();
});
failure.querySelector('button')?.addEventListener('click', () => show(location.href));
document.querySelector('.gallery')?.addEventListener('click', (event) => {
  if (event instanceof MouseEvent) followLink(event);
});
addEventListener('popstate', async () => {
  fillForm(new URL(location.href));
  await show(location.href);
});

function showForm(): void {
  clearTimeout(typing);
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    const text = String(value).trim();
    if (text !== '' && !(name === 'sort' && text === 'date')) query.set(name, text);
  }
  const address = query.size === 0 ? form.action : `${form.action}?${query}`;
  if (address === location.href && failure.hidden) return;
  history.replaceState(null, '', address);
  void show(address);
}

/** A link to another view of the gallery is shown here; a key held down still opens it elsewhere. */
function followLink(event: MouseEvent): void {
  const link = clickedLink(event);
  if (link === null || `${link.origin}${link.pathname}` !== form.action) return;
  event.preventDefault();
  clearTimeout(typing);
  history.pushState(null, '', link.href);
  fillForm(new URL(link.href));
  void show(link.href).then((shown) => {
    if (!shown) return;
    // The followed link was replaced along with the results: keyboard focus moves to the new ones.
    results.focus({ preventScroll: true });
    if (form.getBoundingClientRect().top < 0) form.scrollIntoView();
  });
}

/**
 * Loads and shows a view of the gallery; aborts the request before it, if one is under way. Resolves to whether the view
 * is shown.
 */
async function show(address: string): Promise<boolean> {
  asking?.abort();
  const mine = new AbortController();
  asking = mine;
  results.setAttribute('aria-busy', 'true');
  try {
    const response = await fetch(address, { signal: mine.signal });
    if (!response.ok) throw new Error(await reasonIn(response));
    takeOver(new DOMParser().parseFromString(await response.text(), 'text/html'));
    failure.hidden = true;
    return true;
  } catch (error) {
    if (mine.signal.aborted) return false;
    const text = error instanceof TypeError || !(error instanceof Error) ? '' : error.message;
    showFailure(text || texts.unreachable);
    return false;
  } finally {
    if (asking === mine) results.removeAttribute('aria-busy');
  }
}

function takeOver(page: Document): void {
  document.title = page.title;
  for (const part of document.querySelectorAll('[data-part]'))
    part.replaceChildren(...(page.getElementById(part.id)?.childNodes ?? []));
  const text = page.getElementById(count.id)?.textContent ?? '';
  // Screen readers read it out when it changes.
  if (count.textContent !== text) count.textContent = text;
}

function showFailure(text: string): void {
  const place = failure.querySelector('p');
  if (place) place.textContent = text;
  failure.hidden = false;
}

/** Fills in the form from the address. */
function fillForm({ searchParams }: URL): void {
  for (const field of form.elements) {
    if (field instanceof HTMLSelectElement) field.value = searchParams.get(field.name) ?? 'date';
    if (!(field instanceof HTMLInputElement)) continue;
    const value = searchParams.get(field.name) ?? '';
    if (field.type === 'radio') field.checked = field.value === value;
    else field.value = value;
    if (field.type === 'hidden') field.disabled = value === '';
  }
}
