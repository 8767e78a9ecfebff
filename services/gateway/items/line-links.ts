/**
 * Links to lines of a text: `#L10`, `#L10-L20`. One line works without script, as each has that id. The script marks the lines that the
 * address names, names those whose numbers are clicked (with the shift key up to there), and adds a field for a line to go to. Constant,
 * so that a content security policy can allow it by hash. It is put in when a page is served: no stored rendering depends on it.
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

const STYLE = `main.file>header>p{margin-inline-start:auto}.lines>span.marked,.lines>span:target{background:var(--warn-soft)}.lines>span:focus{outline:none}.lines>span::before{cursor:pointer}.go-to-line{font-size:.8125rem;color:var(--muted)}.go-to-line input{width:5.5rem;padding:.15rem .4rem;border:1px solid var(--border-strong);border-radius:5px;background:var(--bg);color:var(--text);font:inherit}.go-to-line input[aria-invalid=true]{border-color:light-dark(#b3202c,#ff8f87)}@media print{.go-to-line{display:none}}`;

const MARKUP = `<style>${STYLE}</style><script>${LINE_LINKS_SCRIPT}</script>\n`;

/** For `script-src 'sha256-…'`: the base64 of the script's SHA-256, without the prefix. */
export const LINE_LINKS_SHA256 = new Bun.CryptoHasher('sha256').update(LINE_LINKS_SCRIPT).digest('base64');

/** Puts the links behind the body of a rendered text; one without numbered lines stays as it is. */
export function insertLineLinks(document: string): string {
  if (!document.includes('<code class="lines"')) return document;
  const end = document.lastIndexOf('</body>');
  return end < 0 ? document : document.slice(0, end) + MARKUP + document.slice(end);
}
