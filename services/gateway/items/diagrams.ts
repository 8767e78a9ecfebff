import { html, trusted } from '../../../shared/pages/html.ts';

/**
 * Draws the Mermaid diagrams of a rendered page, which it has as blocks of code: a block becomes a picture, with its source below it to
 * unfold. The library draws by what a browser measures, so it cannot work on the server; it is large, so that it is loaded only where
 * there is such a block. What it cannot draw stays a block of code. Constant, so that a content security policy can allow it by hash;
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

const STYLE =
  '.diagram{margin:0 0 1.1em}.diagram-picture{overflow-x:auto}.diagram-picture svg{display:block;max-width:100%;height:auto;margin:0 auto}.diagram details{margin:.4em 0 0}.diagram summary{color:var(--muted);font-size:.8125rem;font-weight:400}@media print{.diagram details{display:none}}';

/** For `script-src 'sha256-…'`: the base64 of the script's SHA-256, without the prefix. */
export const DIAGRAMS_SHA256 = new Bun.CryptoHasher('sha256').update(DIAGRAMS_SCRIPT).digest('base64');

/**
 * Puts the drawing of diagrams behind the body of a rendered page; one without diagrams stays as it is.
 * @param service the service's address, where the page is on a host that has no assets
 */
export function insertDiagrams(document: string, service: string | null): string {
  if (!document.includes('<code class="language-mermaid"')) return document;
  const end = document.lastIndexOf('</body>');
  if (end < 0) return document;
  const markup = html`<style>${trusted(STYLE)}</style><script data-base="${service ?? ''}">${trusted(DIAGRAMS_SCRIPT)}</script>\n`;
  return document.slice(0, end) + markup.toString() + document.slice(end);
}
