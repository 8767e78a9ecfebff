import { html, trusted } from '../../../shared/pages/html.ts';

/** The base64 of a script's SHA-256 for `script-src 'sha256-…'`, without the prefix. */
export const sha256Of = (script: string): string =>
  new Bun.CryptoHasher('sha256').update(script).digest('base64');

/** Puts markup at the end of the body of a rendering. */
export function behindBody(document: string, markup: string): string {
  const end = document.lastIndexOf('</body>');
  return end < 0 ? document : document.slice(0, end) + markup + document.slice(end);
}

/**
 * Links to lines of a text: `#L10`, `#L10-L20`. One line works without script, as each has that id. The script marks the lines that the
 * address names, names those whose numbers are clicked (with the shift key up to there), and adds a field for a line to go to. Constant,
 * so that a content security policy can allow it by hash. The script is put in when a page is served: no stored rendering depends on it.
 */
const LINE_LINKS_SCRIPT = `(()=>{
const code=document.querySelector('main.file .lines'),head=document.querySelector('main.file > header');
if(!code||!head)return;
const lines=code.children,marked=[];let first=0;
const named=text=>{const found=/^#?L?(\\d{1,6})(?:-L?(\\d{1,6}))?$/i.exec(text.trim());if(!found)return null;
const one=Number(found[1]),other=Number(found[2]??found[1]);
return[Math.max(1,Math.min(one,other)),Math.min(lines.length,Math.max(one,other))]};
const mark=range=>{for(const line of marked.splice(0))line.classList.remove('marked');
if(!range)return null;
first=range[0];
for(let at=range[0];at<=range[1];at++){lines[at-1].classList.add('marked');marked.push(lines[at-1])}
return marked[0]??null};
const put=range=>history.replaceState(history.state,'','#L'+range[0]+(range[1]>range[0]?'-L'+range[1]:''));
const follow=()=>mark(named(location.hash))?.scrollIntoView({block:'center'});
code.addEventListener('click',event=>{
const line=event.target.closest('.lines > span');
if(!line||!(event.clientX-line.getBoundingClientRect().left<parseFloat(getComputedStyle(line).paddingInlineStart)))return;
const at=Array.prototype.indexOf.call(lines,line)+1,from=event.shiftKey&&first?first:at,range=[Math.min(from,at),Math.max(from,at)];
mark(range);first=from;put(range);getSelection()?.removeAllRanges()});
const form=document.createElement('form'),label=document.createElement('label'),field=document.createElement('input');
form.className='go-to-line';field.size=7;field.placeholder='10-20';field.autocomplete='off';field.inputMode='text';
label.append('Line ',field);form.append(label);head.append(form);
form.addEventListener('submit',event=>{event.preventDefault();
const range=named(field.value),line=mark(range);
field.setAttribute('aria-invalid',String(!line));
if(!line)return;
put(range);line.tabIndex=-1;line.focus({preventScroll:true});line.scrollIntoView({block:'center'})});
addEventListener('hashchange',follow);follow()})()`;

const LINE_LINKS_STYLE = `.lines>span.marked,.lines>span:target{background:var(--warn-soft)}.lines>span:focus{outline:none}.lines>span::before{cursor:pointer}.go-to-line{font-size:.8125rem;color:var(--muted)}.go-to-line input{width:5.5rem;padding:.15rem .4rem;border:1px solid var(--border-strong);border-radius:5px;background:var(--bg);color:var(--text);font:inherit}.go-to-line input[aria-invalid=true]{border-color:light-dark(#b3202c,#ff8f87)}@media print{.go-to-line{display:none}}`;

export const LINE_LINKS_SHA256 = sha256Of(LINE_LINKS_SCRIPT);

/** Puts the links behind the body of a rendered text; one without numbered lines stays as it is. */
export function insertLineLinks(document: string): string {
  if (!document.includes('<code class="lines"')) return document;
  return behindBody(document, `<style>${LINE_LINKS_STYLE}</style><script>${LINE_LINKS_SCRIPT}</script>\n`);
}

/**
 * Draws the Mermaid diagrams of a rendered page, which it has as blocks of code: a block becomes a picture, with its source below it to
 * unfold. The library draws by what a browser measures, so it cannot work on the server; it is large, so that it is loaded only where
 * there is such a block. A diagram that it cannot draw stays a block of code. Constant, so that a content security policy can allow it by hash;
 * `'strict-dynamic'` then allows the library, which this script loads.
 */
const DIAGRAMS_SCRIPT = `(()=>{
const base=document.currentScript.dataset.base,blocks=[...document.querySelectorAll('main.markdown pre > code.language-mermaid')].slice(0,30);
if(!blocks.length)return;
const drawn=[];
const system=matchMedia('(prefers-color-scheme: dark)');
const isDark=()=>{const own=document.documentElement.dataset.theme;return own==='light'||own==='dark'?own==='dark':system.matches};
let theme=null,number=0,isDrawing=false;
const pause=()=>new Promise(resolve=>setTimeout(resolve));
const draw=async()=>{
if(isDrawing)return;
isDrawing=true;
while(theme!==isDark()){
theme=isDark();
mermaid.initialize({startOnLoad:false,securityLevel:'strict',theme:theme?'dark':'default',suppressErrorRendering:true,
maxTextSize:20000,maxEdges:300,htmlLabels:false,flowchart:{htmlLabels:false},class:{htmlLabels:false},fontFamily:'ui-sans-serif,system-ui,sans-serif'});
for(const block of blocks){
await pause();
try{
const{svg}=await mermaid.render('diagram-'+(number+=1),block.textContent);
let figure=drawn[blocks.indexOf(block)];
if(!figure){
figure=document.createElement('figure');figure.className='diagram';
const picture=document.createElement('div'),details=document.createElement('details'),summary=document.createElement('summary');
picture.className='diagram-picture';picture.tabIndex=0;picture.setAttribute('role','region');picture.setAttribute('aria-label','Diagram '+(blocks.indexOf(block)+1));
summary.textContent='Source';
const pre=block.parentElement;
pre.replaceWith(figure);details.append(summary,pre);figure.append(picture,details);
drawn[blocks.indexOf(block)]=figure}
figure.firstChild.innerHTML=svg
}catch{}}}
isDrawing=false};
const script=document.createElement('script');
script.src=base+'/assets/mermaid.tiny.js';
script.onload=()=>{draw();
new MutationObserver(draw).observe(document.documentElement,{attributes:true,attributeFilter:['data-theme']});
system.addEventListener('change',draw)};
document.head.append(script)})()`;

const DIAGRAMS_STYLE =
  '.diagram{margin:0 0 1.1em}.diagram-picture{overflow-x:auto}.diagram-picture svg{display:block;max-width:100%;height:auto;margin:0 auto}.diagram details{margin:.4em 0 0}.diagram summary{color:var(--muted);font-size:.8125rem;font-weight:400}@media print{.diagram details{display:none}}';

export const DIAGRAMS_SHA256 = sha256Of(DIAGRAMS_SCRIPT);

/**
 * Puts the drawing of diagrams behind the body of a rendered page; one without diagrams stays as it is.
 * @param service the service's address, where the page is on a host that has no assets
 */
export function insertDiagrams(document: string, service: string | null): string {
  if (!document.includes('<code class="language-mermaid"')) return document;
  const markup = html`<style>${trusted(DIAGRAMS_STYLE)}</style><script data-base="${service ?? ''}">${trusted(DIAGRAMS_SCRIPT)}</script>\n`;
  return behindBody(document, markup.toString());
}
