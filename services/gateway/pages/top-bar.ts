import { compactCss } from '../../../shared/pages/compact-css.ts';
import { dateTag } from '../../../shared/pages/format.ts';
import { html, type SafeHtml, trusted } from '../../../shared/pages/html.ts';
import { formatSize } from '../../../shared/wording/format-size.ts';
import { textsIn } from '../web/texts/texts.ts';
import { scriptWords } from './script-words.ts';
import topBarCss from './top-bar.css' with { type: 'text' };

/** The texts of the top bar as pages have them: a rendered page is kept once for all its readers, in English. */
export const TOP_BAR_TEXTS = textsIn('en').topBar;

/**
 * The top bar's script. Constant, so that a content security policy can allow it by hash.
 *
 * The script moves the bar out of the body, where the page's flex, grid, width or margin rules for the body and its
 * children cannot distort it, and handles the theme switch. Where the page lays out the root element itself as flex or
 * grid, the bar would become one of its cells: there the bar floats, and the root gets a padding as high as the bar.
 *
 * In an opaque origin localStorage throws: the choice is then kept in the name of the tab, unless the page has given it
 * one, where a reload and other items find it. "Auto" gives the root element back what the page itself had set. A folded bar leaves a button that unfolds it.
 *
 * Pages are rendered once for all readers: where the browser prefers a language that the service has, the script puts its words, its
 * decimal mark and its dates in place of the English ones. A language tag names that language in its first two letters.
 *
 * With `?live=1` it follows the page's events (specification 4.9) and reloads when there is another version, after a short
 * wait, so that it never asks without a pause.
 */
const SCRIPT = `(()=>{
const bar=document.currentScript.parentNode,root=document.documentElement,template=bar.querySelector('template');
if(!bar.shadowRoot&&template)bar.attachShadow({mode:'open'}).append(template.content);
if(document.body&&root.contains(document.body))root.insertBefore(bar,document.body);
const floats=getComputedStyle(root).display!=='block';
if(floats){bar.setAttribute('data-floats','');root.style.setProperty('padding-top',bar.offsetHeight+'px','important')}
const shadow=bar.shadowRoot,themes=shadow.querySelector('.themes'),hide=shadow.querySelector('.hide');
const header=shadow.querySelector('header'),showAgain=shadow.querySelector('.show');
const language=navigator.language.slice(0,2),words=${JSON.stringify(scriptWords((texts) => texts.topBar))}[language];
if(words){const say=text=>words[text]||text;bar.lang=language;
for(const element of shadow.querySelectorAll('[aria-label]')){element.ariaLabel=say(element.ariaLabel);if(element.title)element.title=element.ariaLabel}
for(const element of shadow.querySelectorAll('.live,a'))element.textContent=say(element.textContent);
const [size,time]=shadow.querySelector('.expiry').childNodes,date=new Date(time.dateTime),dateStyle='medium',timeZone='UTC';
size.data=size.data.replace(/[a-z]+/gi,say).replace('.',(.5).toLocaleString(language)[1]);
time.textContent=date.toLocaleDateString(language,{dateStyle,timeZone});
time.title=date.toLocaleString(language,{dateStyle,timeStyle:'short',timeZone})+' UTC'}
const own={theme:root.getAttribute('data-theme'),scheme:root.style.colorScheme};
const stored=value=>{try{if(value)localStorage.setItem('perch-theme',value);return localStorage.getItem('perch-theme')}catch{
const ours=/^perch-theme=(\\w+)$/.exec(window.name);
if(value&&(ours||!window.name))window.name='perch-theme='+value;
return value||(ours?ours[1]:null)}};
const set=(element,value)=>value===null?element.removeAttribute('data-theme'):element.setAttribute('data-theme',value);
const show=theme=>{for(const button of themes.children)button.setAttribute('aria-pressed',String(button.value===theme))};
const apply=theme=>{const auto=theme==='auto';
set(root,auto?own.theme:theme);set(bar,auto?null:theme);root.style.colorScheme=auto?own.scheme:theme;show(theme)};
themes.addEventListener('click',event=>{const button=event.target.closest('button');if(button){stored(button.value);apply(button.value)}});
const fold=folded=>{header.hidden=folded;showAgain.hidden=!folded;bar.toggleAttribute('data-folded',folded);
if(floats)folded?root.style.removeProperty('padding-top'):root.style.setProperty('padding-top',bar.offsetHeight+'px','important');
(folded?showAgain:hide).focus()};
hide.addEventListener('click',()=>fold(true));
showAgain.addEventListener('click',()=>fold(false));
const theme=stored();
if(theme==='light'||theme==='dark')apply(theme);
themes.hidden=hide.hidden=false;
if(/[?&]live(=(1|true|yes)?)?(&|$)/i.test(location.search)&&window.EventSource){
const badge=shadow.querySelector('.live');
const follow=()=>{const source=new EventSource(location.href);
source.onopen=()=>{badge.hidden=false};
source.onerror=()=>{badge.hidden=true;if(source.readyState===2)setTimeout(follow,15000)};
source.onmessage=event=>{if(event.lastEventId!==bar.dataset.version){source.close();setTimeout(()=>location.reload(),200)}};
source.addEventListener('gone',()=>{source.close();badge.hidden=true})};
follow()}
})()`;

/** The base64 of the script's SHA-256 for `script-src 'sha256-…'`, without the prefix. */
export const TOP_BAR_SCRIPT_SHA256 = new Bun.CryptoHasher('sha256').update(SCRIPT).digest('base64');

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
  /** Version as the events of the page name it: see `liveVersion`. */
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
  const texts = TOP_BAR_TEXTS;
  return html`<perch-bar data-version="${bar.version}"><template shadowrootmode="open"><style>${trusted(CSS)}</style><header aria-label="${texts.about}"><div class="what"><span class="title" title="${bar.title}">${bar.title}</span><span class="badge">${FORMAT_NAMES[bar.format]}</span><span class="live" role="status" hidden>${texts.live}</span></div><div class="rest"><span class="expiry">${formatSize(bar.sizeBytes)} · ${texts.expires} ${dateTag(bar.expiresAt)}</span><nav aria-label="${texts.links}">${otherLink(bar)}<a href="${bar.downloadUrl}">${texts.download}</a><a href="${bar.rawUrl}">${texts.raw}</a><a href="${bar.reportUrl}">${texts.report}</a></nav></div><div class="themes" role="group" aria-label="${texts.theme}" hidden>${themeButton('auto', texts.auto, HALF, true)}${themeButton('light', texts.light, SUN, false)}${themeButton('dark', texts.dark, MOON, false)}</div><button class="hide" type="button" aria-label="${texts.hide}" title="${texts.hide}" hidden>${CROSS}</button></header><button class="show" type="button" aria-label="${texts.show}" title="${texts.show}" hidden>${DOWN}</button></template><script>${trusted(SCRIPT)}</script></perch-bar>`;
}

const otherLink = ({ other }: TopBar): SafeHtml | null =>
  other === undefined ? null : html`<a href="${other.url}">${other.label}</a>`;

function themeButton(value: string, label: string, icon: SafeHtml, pressed: boolean): SafeHtml {
  return html`<button type="button" value="${value}" aria-pressed="${String(pressed)}" aria-label="${label}" title="${label}">${icon}</button>`;
}
