import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import type { Operator } from '../../../auth/admin-password.ts';
import type { RequestContext } from '../../../http/request-context.ts';
import { page } from '../../../pages/page.ts';
import { servicePage } from '../../../pages/service-page.ts';
import { servicePagePolicy } from '../../../pages/service-page-policy.ts';
import type { AdminDependencies } from '../admitted.ts';
import { formMark } from './parts.ts';

/** A request for a page of the console. */
export interface ConsoleRequest {
  deps: AdminDependencies;
  context: RequestContext;
  operator: Operator;
}

export interface ConsolePage {
  title: string;
  body: SafeHtml;
  status?: number;
  /** Sources of the frame that the page shows, in the terms of a content security policy. */
  frames?: string;
}

/** The parts of the console, by the last part of their address. */
export const SECTIONS = {
  health: 'Health',
  reports: 'Reports',
  publications: 'Publications',
  access: 'Access log',
  owners: 'Owners',
  blocklist: 'Blocklist',
  limits: 'Limits',
  audit: 'Audit trail',
} as const;
export type Section = keyof typeof SECTIONS;

export const addressOf = (section: Section): string =>
  section === 'health' ? '/admin' : `/admin/${section}`;

const NO_STORE = { 'Cache-Control': 'no-store' };

/** Says what an action did, after it led back to a page. */
const DONE: Readonly<Record<string, string>> = {
  'review-report': 'The report is noted.',
  'take-down-item': 'The item is taken down.',
  'hide-item': 'The item is hidden.',
  'show-item': 'The item is shown again.',
  'take-down-owner': 'Everything of this owner is taken down.',
  'set-owner-terms': 'The terms of the owner are noted.',
  'block-clients': 'The client is blocked.',
  'end-block': 'The block has ended.',
};

/** A page of the console, with the way to the others. */
export function consoleResponse(
  { context, operator }: Pick<ConsoleRequest, 'context' | 'operator'>,
  section: Section | null,
  { title, body, status = 200, frames }: ConsolePage,
): Response {
  const link = ([name, label]: [string, string]): SafeHtml =>
    html`<a href="${addressOf(name as Section)}"${name === section ? html` aria-current="page"` : null}>${label}</a>`;
  const done = (context.query().get('done') ?? '').split(',').flatMap((name) => DONE[name] ?? []);
  const whole = html`<div class="console">
<div class="console-bar"><nav class="console-nav" aria-label="Console">${Object.entries(SECTIONS).map(link)}</nav>
${operator.session === null ? null : html`<form class="console-out" method="post" action="/admin/sign-out">${formMark(operator)}<button class="console-button">Sign out</button><button class="console-button" name="everywhere" value="1">Sign out everywhere</button></form>`}</div>
<h1>${title}</h1>
${done.length > 0 ? html`<p class="notice good" role="status">${done.join(' ')}</p>` : null}
${body}
</div>`;
  return answered(context, `${title} · Console · Perch`, whole, status, frames);
}

/** A page of the console for whoever is not signed in. */
export function outsideResponse(
  context: RequestContext,
  { title, body, status = 200 }: ConsolePage,
  headers: Record<string, string> = {},
): Response {
  const markup = page({ title: `${title} · Perch`, body, width: 'narrow' });
  return servicePage(context, markup, { status, headers: { ...NO_STORE, ...headers } });
}

function answered(
  context: RequestContext,
  title: string,
  body: SafeHtml,
  status: number,
  frames: string | undefined,
): Response {
  const markup = page({ title, body, width: 'wide', script: 'console', styles: ['console.css'] });
  const host = context.request.headers.get('host');
  const policy = servicePagePolicy({ host, service: host, shown: null });
  const framed = frames === undefined ? {} : { 'Content-Security-Policy': `${policy}; frame-src ${frames}` };
  return servicePage(context, markup, { status, headers: { ...NO_STORE, ...framed } });
}
