import { relativeTime } from '../../../../shared/wording/relative-time.ts';
import { language, domains as texts } from '../texts/page-language.ts';
import { offerCopies } from './copy.ts';
import { confirmIn } from './dialogs.ts';
import { type Notices, within } from './elements.ts';
import { type Address, RefusedError, request } from './owner-api.ts';

/** The domain of an item, as the API has it. */
interface Domain {
  readonly domain: string;
  readonly state: 'pending' | 'verified' | 'active' | 'lost';
  readonly url: string;
  readonly record: { readonly name: string; readonly value: string };
  readonly target: string;
  readonly finding: 'record' | 'none' | 'held' | 'failure' | null;
  readonly removedAt: string | null;
}

/** Shows the domain of an item when it is asked for, and lets its owner set, check and remove it. */
export function offerDomain(
  element: HTMLElement,
  { item, token }: { readonly item: Address; readonly token: string },
  page: Notices,
): void {
  const details = element.querySelector('.owned-domain');
  // Where the operator has not turned domains on, there are none.
  if (!(details instanceof HTMLDetailsElement)) return;
  const path = `/api/${item.namespace}/${item.id}/domain`;
  const form = within(details, 'form', HTMLFormElement);
  const input = within(form, 'input', HTMLInputElement);
  let claimed = '';

  const read = async (): Promise<Domain | null> => {
    try {
      return (await (await request('GET', path, token)).json()) as Domain;
    } catch (error) {
      if (error instanceof RefusedError && error.status === 404) return null;
      throw error;
    }
  };

  const show = (found: Domain | null): void => {
    const domain = found?.domain ?? '';
    // Where there was none and is none, the reader may be typing one already.
    if (domain !== claimed) input.value = domain;
    claimed = domain;
    within(details, '.domain-claim', HTMLElement).hidden = found === null;
    if (found !== null) showClaim(details, found);
  };

  const put = async (domain: string): Promise<void> => {
    const body = JSON.stringify({ domain });
    const headers = { 'Content-Type': 'application/json' };
    try {
      show((await (await request('PUT', path, token, { headers, body })).json()) as Domain);
    } catch (error) {
      if (error instanceof RefusedError && error.status === 409) show(await read());
      throw error;
    }
  };

  const run = async (act: () => Promise<void>): Promise<void> => {
    details.setAttribute('aria-busy', 'true');
    page.forgetFault();
    try {
      await act();
    } catch (error) {
      page.fail(error);
    } finally {
      details.removeAttribute('aria-busy');
    }
  };

  offerCopies(details);
  details.addEventListener('toggle', () => {
    if (details.open) void run(async () => show(await read()));
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(() => put(input.value));
  });
  const on = (action: string, act: () => Promise<void>): void =>
    within(details, `[data-domain=${action}]`, HTMLButtonElement).addEventListener(
      'click',
      () => void run(act),
    );
  on('check', () => put(claimed));
  on('remove', async () => {
    if (!(await confirmIn('domain'))) return;
    await request('DELETE', path, token);
    show(null);
    page.say(texts.removed);
  });
}

function showClaim(details: HTMLElement, found: Domain): void {
  const { state, url, record, target, removedAt } = found;
  within(details, '.domain-state', HTMLElement).textContent = texts.states[state];
  const hint = within(details, '.domain-hint', HTMLElement);
  if (state === 'active') {
    const link = Object.assign(document.createElement('a'), { href: url, textContent: url });
    hint.replaceChildren(link);
  } else hint.textContent = hintFor(found, removedAt);
  const values = { name: record.name, value: record.value, target };
  for (const [name, value] of Object.entries(values))
    within(details, `[data-record=${name}]`, HTMLElement).textContent = value;
}

function hintFor({ state, finding, target }: Domain, removedAt: string | null): string {
  if (finding === 'failure') return texts.noAnswer;
  if (state === 'verified') return texts.pointIt(target);
  if (state === 'lost' && removedAt !== null)
    return texts.lostHint(relativeTime(new Date(removedAt), new Date(), language));
  if (finding === 'held') return texts.held;
  return finding === null ? texts.setIt : texts.notThere;
}
