import { compactCss } from '../../../shared/pages/compact-css.ts';
import { dateTag } from '../../../shared/pages/format.ts';
import { formatSize } from '../../../shared/pages/format-size.ts';
import { html, type SafeHtml, trusted } from '../../../shared/pages/html.ts';
import { TOP_BAR_TEXTS as texts } from '../pages/top-bar-words.ts';
import topBarCss from './top-bar.css' with { type: 'text' };
import { TOP_BAR_SCRIPT } from './top-bar-script.ts';

export interface TopBar {
  readonly title: string;
  readonly format: 'HTML' | 'MARKDOWN' | 'TEXT';
  readonly downloadUrl: string;
  readonly reportUrl: string;
  readonly rawUrl: string;
  /** Another view of the same text. */
  readonly other?: { readonly url: string; readonly label: string } | undefined;
  readonly sizeBytes: number;
  readonly expiresAt: Date;
  /** As the events of the page name it: see `liveVersion`. */
  readonly version: string;
}

const FORMAT_NAMES = { HTML: 'HTML', MARKDOWN: 'Markdown', TEXT: 'Text' } as const;

const CSS = compactCss(topBarCss);

const HALF = trusted(
  '<svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="5.5"/><path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor"/></svg>',
);
const SUN = trusted(
  '<svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="2.75"/><path d="M8 1.5v1.25M8 13.25v1.25M1.5 8h1.25M13.25 8h1.25M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9"/></svg>',
);
const MOON = trusted(
  '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M13.5 9.6A5.75 5.75 0 0 1 6.4 2.5a5.75 5.75 0 1 0 7.1 7.1z"/></svg>',
);
const DOWN = trusted('<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4 6l4 4 4-4"/></svg>');
const CROSS = trusted('<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4 4l8 8M12 4l-8 8"/></svg>');

/**
 * The bar as one element with a declarative shadow root, its style and script included. Links stay in the tab:
 * a new tab would inherit the sandbox of the page and could not send the report form.
 */
export function topBar(bar: TopBar): SafeHtml {
  return html`<perch-bar data-version="${bar.version}"><template shadowrootmode="open"><style>${trusted(CSS)}</style><header aria-label="${texts.about}"><div class="what"><span class="title" title="${bar.title}">${bar.title}</span><span class="badge">${FORMAT_NAMES[bar.format]}</span><span class="live" role="status" hidden>${texts.live}</span></div><div class="rest"><span class="expiry">${formatSize(bar.sizeBytes)} · ${texts.expires} ${dateTag(bar.expiresAt)}</span><nav aria-label="${texts.links}">${otherLink(bar)}<a href="${bar.downloadUrl}">${texts.download}</a><a href="${bar.rawUrl}">${texts.raw}</a><a href="${bar.reportUrl}">${texts.report}</a></nav></div><div class="themes" role="group" aria-label="${texts.theme}" hidden>${themeButton('auto', texts.auto, HALF, true)}${themeButton('light', texts.light, SUN, false)}${themeButton('dark', texts.dark, MOON, false)}</div><button class="hide" type="button" aria-label="${texts.hide}" title="${texts.hide}" hidden>${CROSS}</button></header><button class="show" type="button" aria-label="${texts.show}" title="${texts.show}" hidden>${DOWN}</button></template><script>${trusted(TOP_BAR_SCRIPT)}</script></perch-bar>`;
}

const otherLink = ({ other }: TopBar): SafeHtml | null =>
  other === undefined ? null : html`<a href="${other.url}">${other.label}</a>`;

function themeButton(value: string, label: string, icon: SafeHtml, pressed: boolean): SafeHtml {
  return html`<button type="button" value="${value}" aria-pressed="${String(pressed)}" aria-label="${label}" title="${label}">${icon}</button>`;
}
