import { TOP_BAR_WORDS } from '../pages/top-bar-words.ts';

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
 * With `?live=1` it follows the page's events (specification 4.9) and reloads when there is another version. It waits a
 * little before it does, so that it never asks without a pause.
 */
export const TOP_BAR_SCRIPT = `(()=>{
const bar=document.currentScript.parentNode,root=document.documentElement,template=bar.querySelector('template');
if(!bar.shadowRoot&&template)bar.attachShadow({mode:'open'}).append(template.content);
if(document.body&&root.contains(document.body))root.insertBefore(bar,document.body);
const floats=getComputedStyle(root).display!=='block';
if(floats){bar.setAttribute('data-floats','');root.style.setProperty('padding-top',bar.offsetHeight+'px','important')}
const shadow=bar.shadowRoot,themes=shadow.querySelector('.themes'),hide=shadow.querySelector('.hide');
const header=shadow.querySelector('header'),showAgain=shadow.querySelector('.show');
const language=navigator.language.slice(0,2),words=${JSON.stringify(TOP_BAR_WORDS)}[language];
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
const source=new EventSource(location.href),badge=shadow.querySelector('.live');
source.onopen=()=>{badge.hidden=false};
source.onmessage=event=>{if(event.lastEventId!==bar.dataset.version){source.close();setTimeout(()=>location.reload(),200)}};
source.addEventListener('gone',()=>{source.close();badge.hidden=true})}
})()`;

/** For `script-src 'sha256-…'`: the base64 of the script's SHA-256, without the prefix. */
export const TOP_BAR_SCRIPT_SHA256 = new Bun.CryptoHasher('sha256').update(TOP_BAR_SCRIPT).digest('base64');
