import { html, trusted } from '../../../shared/pages/html.ts';
import { TEXT_PAGE_WORDS, TEXT_PAGE_TEXTS as TEXTS } from '../pages/script-words.ts';
import { behindBody, sha256Of } from './rendering-scripts.ts';

/**
 * Adds a button that copies the text, where all of it is shown, and puts words of the reader's language in place of the
 * English ones. Where the browser gives a page no clipboard, the text is selected for the reader to copy. Constant, so that
 * a content security policy can allow it by hash.
 */
const SCRIPT = `(()=>{
const head=document.querySelector('main.file > header'),code=document.querySelector('main.file > pre > code');
if(!head)return;
const texts=${JSON.stringify(TEXTS)},words=${JSON.stringify(TEXT_PAGE_WORDS)}[navigator.language.slice(0,2)];
const say=text=>words?.[text]??text;
let place=head.querySelector('.text-actions');
for(const link of place?.children??[])link.textContent=say(link.textContent);
const line=head.querySelector('.go-to-line label')?.firstChild;
if(line)line.data=say(texts.line)+' ';
if(words&&place)place.lang=navigator.language;
const facts=head.querySelector('p:not(.text-actions)');
if(words&&facts){facts.lang=navigator.language;
facts.textContent=facts.textContent.split(' · ').map(part=>say(part).replace(/^its first(?= \\d)|\\b(?:lines?|bytes?)$/g,say)
.replace(/^\\d+\\.\\d(?= .B$)/,size=>Number(size).toLocaleString(navigator.language))).join(' · ')}
if(!code||document.querySelector('main.file > .empty'))return;
if(!place){place=document.createElement('p');place.className='text-actions';head.append(place)}
const button=document.createElement('button'),status=document.createElement('span');
button.type='button';button.textContent=say(texts.label);
status.className='text-said';status.setAttribute('role','status');
place.append(button,status);
let timer;
button.addEventListener('click',async()=>{
let said=texts.copied;
try{await navigator.clipboard.writeText(code.textContent)}catch{said=texts.byHand;getSelection()?.selectAllChildren(code)}
button.textContent=status.textContent=say(said);
clearTimeout(timer);
timer=setTimeout(()=>{button.textContent=say(texts.label);status.textContent=''},2000)})})()`;

const STYLE =
  'main.file>header>p{margin-inline-start:auto}.text-actions,main.file>header>.text-actions{display:flex;gap:.9rem;margin:0;font-size:.8125rem}.text-actions button{padding:0;border:0;background:none;color:var(--accent);font:inherit;cursor:pointer}.text-actions button:hover{text-decoration:underline}.text-said{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}@media print{.text-actions{display:none}}';

export const TEXT_ACTIONS_SHA256 = sha256Of(SCRIPT);

const LINKS = html`<p class="text-actions"><a href="?dl=true">${TEXTS.download}</a><a href="?raw=true">${TEXTS.raw}</a></p>`;

/**
 * Puts what a reader can do with a text into the head of its rendering.
 * @param hasLinks whether a top bar has the links to the text already
 */
export function insertTextActions(document: string, hasLinks: boolean): string {
  const head = document.indexOf('</header>', document.indexOf('<main class="file">'));
  if (head < 0) return document;
  const linked = hasLinks ? document : `${document.slice(0, head)}${LINKS}${document.slice(head)}`;
  const markup = html`<style>${trusted(STYLE)}</style><script>${trusted(SCRIPT)}</script>\n`;
  return behindBody(linked, markup.toString());
}
