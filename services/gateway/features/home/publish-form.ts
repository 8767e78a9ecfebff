import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import type { Texts } from '../../web/texts/texts.ts';

/** The parts of other kinds than the chosen one are hidden and disabled: they take no part in the form. */
export function publishForm(texts: Texts): SafeHtml {
  const { form: t, language: words } = texts;
  const days = (count: number): SafeHtml =>
    html`<option value="${count}"${count === 15 ? html` selected` : null}>${t.days(count)}</option>`;
  const optional = html` <span class="optional">${words.optional}</span>`;
  return html`<form id="publish-form" class="panel stack">
<fieldset class="choices"><legend class="visually-hidden">${t.what}</legend>
<input id="kind-page" type="radio" name="kind" value="page" checked><label for="kind-page">${t.kindPage}</label>
<input id="kind-file" type="radio" name="kind" value="file"><label for="kind-file">${t.kindFile}</label>
<input id="kind-site" type="radio" name="kind" value="site"><label for="kind-site">${t.kindSite}</label>
</fieldset>
<fieldset role="none" id="page-fields" class="stack">
<div class="field"><label for="content">${t.content}</label>
<textarea id="content" name="content" class="code" rows="9" required spellcheck="false" placeholder="${t.contentExample}"></textarea></div>
</fieldset>
<fieldset role="none" id="file-fields" class="stack" hidden disabled>
<div id="file-drop" class="drop">
<p>${t.dropFile}</p>
<div class="drop-choices">${fileInput('file', t.chooseFile, html``)}</div>
<p id="file-chosen" class="drop-chosen" role="status" hidden></p>
<p class="hint" id="file-hint">${t.fileHint}</p>
</div>
</fieldset>
<fieldset role="none" id="site-fields" class="stack" hidden disabled>
<div id="site-drop" class="drop">
<p>${t.dropSite}</p>
<div class="drop-choices">${fileInput('archive', t.chooseZip, html` accept=".zip,application/zip"`, 'site-hint')}${fileInput('folder', t.chooseFolder, html` webkitdirectory multiple`, 'site-hint')}</div>
<p id="site-chosen" class="drop-chosen" role="status" hidden></p>
<p class="hint" id="site-hint">${t.siteHint}</p>
</div>
</fieldset>
<div class="row">
<div class="field grow"><label for="title">${t.title}${optional}</label>
<input id="title" name="title" type="text" maxlength="200" autocomplete="off"></div>
<fieldset role="none" id="page-options" class="field"><label for="format">${t.format}</label>
<select id="format" name="format"><option value="MARKDOWN">${t.formatMarkdown}</option><option value="HTML">${t.formatHtml}</option><option value="TEXT">${t.formatText}</option></select></fieldset>
<fieldset role="none" id="site-options" class="field" hidden disabled><label for="entry">${t.entry}${optional}</label>
<input id="entry" name="entry" type="text" maxlength="500" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="index.html"></fieldset>
<div class="field"><label for="ttl">${t.keepFor}</label>
<select id="ttl" name="ttl">${[1, 7, 15, 30].map(days)}</select></div>
</div>
${passwordField(texts)}
<div class="row end" id="publish-progress" hidden>
<div class="grow"><p id="publish-phase" role="status"></p>
<progress id="publish-bar" max="1" aria-labelledby="publish-phase"></progress></div>
<button type="button" class="button quiet" id="publish-cancel">${t.cancel}</button>
</div>
<div class="notice error" id="publish-error" role="alert" tabindex="-1" hidden></div>
<div class="row end">
<p class="hint grow">${t.publicHint}</p>
<button type="submit" class="button" disabled>${t.submit}</button>
</div>
<noscript><p class="hint">${t.noScript}</p></noscript>
</form>`;
}

const fileInput = (id: string, label: string, attributes: SafeHtml, hint = `${id}-hint`): SafeHtml =>
  html`<input id="${id}" type="file" class="visually-hidden"${attributes} aria-describedby="${hint}"><label for="${id}" class="button quiet">${label}</label>`;

/** Shown as it is typed: it is passed on to readers, and a slip would lock them out. */
function passwordField({ form: t, language: words }: Texts): SafeHtml {
  return html`<div class="field"><label for="password">${t.password} <span class="optional">${words.optional}</span></label>
<input id="password" name="password" type="text" maxlength="200" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="password-hint">
<p class="hint" id="password-hint">${t.passwordHint}</p></div>`;
}

/** Where results are put, newest first, and what one looks like. */
export function publishResult({ result: t, language: words }: Texts): SafeHtml {
  return html`<div id="publish-results"></div>
<template id="publish-result"><article class="panel stack" tabindex="-1">
<h3></h3>
<dl class="results">
<div><dt>${t.address}</dt><dd data-copy="${t.copyAddress}"><a class="result-url" href="/"></a></dd></div>
<div><dt>${t.shortAddress}</dt><dd data-copy="${t.copyShortAddress}"><a class="result-short-url" href="/"></a></dd></div>
<div><dt>${t.token}</dt><dd data-copy="${t.copyToken}"><code class="result-token"></code></dd></div>
<div><dt>${words.expires}</dt><dd><time class="result-expires"></time></dd></div>
</dl>
<img class="result-qr" alt="${t.qrCode}" width="160" height="160" hidden>
<p class="notice">${t.keepToken}</p>
</article></template>`;
}
