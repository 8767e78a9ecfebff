import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import type { PerchError } from '../../../../../shared/perch-error.ts';
import type { Operator } from '../../../auth/admin-password.ts';
import { errorBody } from '../../../http/error-status.ts';
import type { RequestContext } from '../../../http/request-context.ts';
import { type PageInput, page } from '../../../pages/page.ts';
import { servicePage, servicePagePolicy } from '../../../pages/service-page.ts';
import { type AdminDependencies, NO_STORE } from '../admitted.ts';
import { csrfField } from './parts.ts';
import type { Words } from './words.ts';

/** A request for a page of the console. */
export interface ConsoleRequest {
  deps: AdminDependencies;
  context: RequestContext;
  operator: Operator;
  words: Words;
}

export interface ConsolePage {
  title: string;
  body: SafeHtml;
  status?: number;
  /** Sources of the frame that the page shows, in the terms of a content security policy. */
  frames?: string;
}

/** The parts of the console, by the last part of their address, in the order in which they are shown. */
const SECTIONS = [
  ...(['health', 'reports', 'publications', 'access', 'owners', 'takedowns'] as const),
  ...(['blocklist', 'notifications', 'scans', 'limits', 'audit'] as const),
];
export type Section = (typeof SECTIONS)[number];

export const addressOf = (section: Section): string =>
  section === 'health' ? '/admin' : `/admin/${section}`;

/** A page of the console, with the way to the others. */
export function consoleResponse(
  { context, operator, words }: Pick<ConsoleRequest, 'context' | 'operator' | 'words'>,
  section: Section | null,
  { title, body, status = 200, frames }: ConsolePage,
): Response {
  const { texts, language } = words;
  const link = (name: Section): SafeHtml =>
    html`<a href="${addressOf(name)}"${name === section ? html` aria-current="page"` : null}>${texts.sections[name]}</a>`;
  // After an action the address names what was done.
  const done = (context.query().get('done') ?? '')
    .split(',')
    .flatMap((name) => texts.actions.done[name] ?? []);
  const whole = html`<div class="console">
<div class="console-bar"><nav class="console-nav" aria-label="${texts.name}">${SECTIONS.map(link)}</nav>
${operator.session === null ? null : html`<form class="console-out" method="post" action="/admin/sign-out">${csrfField(operator)}<button class="console-button">${texts.signOut}</button><button class="console-button" name="everywhere" value="1">${texts.signOutEverywhere}</button></form>`}</div>
<h1>${title}</h1>
${done.length > 0 ? html`<p class="notice good" role="status">${done.join(' ')}</p>` : null}
${body}
</div>`;
  return answered(
    context,
    { title: `${title} · ${texts.name} · Perch`, body: whole, language },
    status,
    frames,
  );
}

/** A page of the console for whoever is not signed in. */
export function outsideResponse(
  context: RequestContext,
  { title, body, status = 200 }: ConsolePage,
  headers: Record<string, string> = {},
): Response {
  const markup = page({ title: `${title} · Perch`, body, width: 'narrow', language: context.language });
  return servicePage(context, markup, { status, headers: { ...NO_STORE, ...headers } });
}

function answered(
  context: RequestContext,
  input: Pick<PageInput, 'title' | 'body' | 'language'>,
  status: number,
  frames: string | undefined,
): Response {
  const markup = page({ ...input, width: 'wide', script: 'console', styles: ['console.css'] });
  const host = context.request.headers.get('host');
  const policy = servicePagePolicy({ host, service: host, shown: null, framed: null, formsLeadTo: null });
  const framed = frames === undefined ? {} : { 'Content-Security-Policy': `${policy}; frame-src ${frames}` };
  return servicePage(context, markup, { status, headers: { ...NO_STORE, ...framed } });
}

/** The message of an error in the operator's language where there is one, else the API's own. */
export const messageOf = (error: PerchError, requestId: string, { texts }: Words): string =>
  texts.actions.messages[error.code] ?? errorBody(error, requestId).message;
