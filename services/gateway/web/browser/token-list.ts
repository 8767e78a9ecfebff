import { language, mine as texts } from '../texts/page-language.ts';
import { copyText, sayCopied } from './copy.ts';
import { confirmIn, showLink } from './dialogs.ts';
import { find, fromTemplate, type Notices, within } from './elements.ts';
import { saveAs } from './owned-item.ts';
import { isToken, tokenFile, tokensIn } from './token-file.ts';
import { addTokens, forgetToken, type KeptToken, publishWith, withFragment } from './token-store.ts';

interface Page extends Notices {
  /** Another token is kept, or one is not any more, or another gets what is published. */
  onChanged(): void;
}

/** Shows the kept tokens, with how many items each has; `null` where that is not known. */
export function showTokens(
  tokens: readonly KeptToken[],
  counts: ReadonlyMap<string, number | null>,
  page: Page,
): void {
  find('token-section', HTMLElement).hidden = false;
  find('no-tokens', HTMLElement).hidden = tokens.length > 0;
  find('token-save', HTMLButtonElement).hidden = tokens.length === 0;
  find('token-save', HTMLButtonElement).onclick = () => {
    const text = tokenFile(
      tokens.map(({ token }) => token),
      location.origin,
    );
    saveAs(new Blob([text], { type: 'application/json' }), `perch-tokens-${location.hostname}.json`);
  };
  find('token-list', HTMLUListElement).replaceChildren(
    ...tokens.map((kept) => tokenElement(kept, counts.get(kept.token) ?? null, page)),
  );
}

/** Lets the reader add tokens: typed in, or out of a file. */
export function offerAdding(page: Page): void {
  const form = find('token-form', HTMLFormElement);
  const field = find('token-new', HTMLInputElement);
  const file = find('token-file', HTMLInputElement);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const token = field.value.trim();
    if (!isToken(token)) return page.fail(new Error(texts.badToken));
    await add([token], page);
    field.value = '';
  });
  file.addEventListener('change', async () => {
    const [chosen] = file.files ?? [];
    if (chosen === undefined) return;
    const tokens = tokensIn(await chosen.text());
    file.value = '';
    if (tokens.length === 0) page.fail(new Error(texts.noTokenIn(chosen.name)));
    else await add(tokens, page);
  });
}

/** Asks whether the token of a link that was opened shall be kept, and keeps it. */
export async function offerFromLink(token: string, page: Page): Promise<void> {
  if (!isToken(token)) return page.fail(new Error(texts.badToken));
  if (await confirmIn('add')) await add([token], page);
}

async function add(tokens: readonly string[], page: Page): Promise<void> {
  try {
    page.say(texts.added(await addTokens(tokens)));
    page.onChanged();
  } catch {
    page.fail(new Error(texts.notKept));
  }
}

function tokenElement(
  { token, keptAt, publishes }: KeptToken,
  count: number | null,
  page: Page,
): HTMLElement {
  const element = fromTemplate('token', 'li', HTMLLIElement);
  within(element, '.token-text', HTMLElement).textContent = masked(token);
  const since = new Date(keptAt).toLocaleDateString(language.locale, { dateStyle: 'long' });
  within(element, '.token-about', HTMLElement).textContent =
    count === null ? since : texts.tokenItems(count, since);
  within(element, '.token-publishing', HTMLElement).hidden = !publishes;

  const on = (action: string, act: (button: HTMLButtonElement) => Promise<void>): HTMLButtonElement => {
    const button = within(element, `[data-action=${action}]`, HTMLButtonElement);
    button.setAttribute('aria-label', `${button.textContent}: ${masked(token)}`);
    button.addEventListener('click', () => act(button).catch(page.fail));
    return button;
  };
  on('use', async () => {
    await publishWith(token);
    page.onChanged();
  }).hidden = publishes;
  on('copy', async (button) => {
    if (await copyText(token)) sayCopied(button);
    else within(element, '.token-text', HTMLElement).textContent = token;
  });
  on('link', async (button) => {
    const link = withFragment('/mine', 'token', token);
    if (await copyText(link)) sayCopied(button);
    else await showLink(link, 'management');
  });
  on('forget', async () => {
    if (!(await confirmIn('forget'))) return;
    await forgetToken(token);
    page.say(texts.forgotten);
    page.onChanged();
  });
  return element;
}

/** Enough of a token to tell it from others: it is not to be read over somebody's shoulder. */
const masked = (token: string): string => `${token.slice(0, 7)}…${token.slice(-4)}`;
