import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { editingField, leaveDialog } from '../../pages/owner-parts.ts';
import type { Texts } from '../../web/texts/texts.ts';

/** Parts of one kind of item take part in the form while that kind is chosen (`web/browser/pages/home.ts`). */
export function publishForm(texts: Texts): SafeHtml {
  const { form: t } = texts;
  const kind = (name: string, label: string): SafeHtml =>
    html`<input id="kind-${name}" type="radio" name="kind" value="${name}"${name === 'page' ? html` checked` : null}><label for="kind-${name}">${label}</label>`;
  return html`<form id="publish-form" class="panel stack">
<fieldset class="choices"><legend class="visually-hidden">${t.what}</legend>
${kind('page', t.kindPage)}${kind('file', t.kindFile)}${kind('site', t.kindSite)}${kind('json', t.kindJson)}${kind('kv', t.kindKv)}
</fieldset>
${pageFields(texts)}${uploadFields(texts)}${dataFields(texts)}
<div class="row">
<div class="field grow"><label for="title">${t.title} ${optional(texts)}</label>
<input id="title" name="title" type="text" maxlength="200" autocomplete="off"></div>
<fieldset role="none" data-kind="page" class="field"><label for="format">${t.format}</label>
<select id="format" name="format" aria-describedby="format-said"><option value="MARKDOWN">${t.formatMarkdown}</option><option value="HTML">${t.formatHtml}</option><option value="TEXT">${t.formatText}</option></select></fieldset>
<fieldset role="none" data-kind="site" class="field" hidden disabled><label for="entry">${t.entry} ${optional(texts)}</label>
<input id="entry" name="entry" type="text" maxlength="500" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="index.html"></fieldset>
<div class="field"><label for="ttl">${t.keepFor}</label>
<select id="ttl" name="ttl">${[1, 7, 15, 30].map((days) => html`<option value="${days}"${days === 15 ? html` selected` : null}>${t.days(days)}</option>`)}</select></div>
</div>
${visibility(texts)}
${passwordField(texts)}
${moreOptions(texts)}
<div class="row end" id="publish-progress" hidden>
<div class="grow"><p id="publish-phase" role="status"></p>
<progress id="publish-bar" max="1" aria-labelledby="publish-phase"></progress></div>
<button type="button" class="button quiet" id="publish-cancel">${t.cancel}</button>
</div>
<div class="notice error" id="publish-error" role="alert" tabindex="-1" hidden></div>
<div class="row end"><button type="submit" class="button" disabled>${t.submit}</button></div>
<noscript><p class="hint">${t.noScript}</p></noscript>
</form>
${leaveDialog(texts)}
<template id="pair"><div class="pair"><input name="pair-key" type="text" maxlength="256" aria-label="${t.key}" placeholder="${t.key}" autocapitalize="off" autocomplete="off" spellcheck="false"><textarea name="pair-value" rows="1" aria-label="${t.value}" placeholder="${t.value}" spellcheck="false"></textarea><select name="pair-type" aria-label="${t.valueType}"><option value="text">${t.valueText}</option><option value="json">${t.valueJson}</option></select><button type="button" class="button quiet small" aria-label="${t.removePair}">×</button></div></template>`;
}

const optional = ({ language: words }: Texts): SafeHtml =>
  html`<span class="optional">${words.optional}</span>`;

function pageFields(texts: Texts): SafeHtml {
  const { form: t } = texts;
  return html`<fieldset role="none" data-kind="page" class="stack">
${editingField({ field: html`<textarea id="content" name="content" class="code" rows="9" aria-required="true" spellcheck="false" placeholder="${t.contentExample}"></textarea>`, id: 'content', label: t.content, isPage: true }, texts)}
<p class="hint" id="format-said" role="status"></p>
</fieldset>
`;
}

function uploadFields({ form: t }: Texts): SafeHtml {
  const choose = (id: string, label: string, attributes: SafeHtml, hint: string): SafeHtml =>
    html`<input id="${id}" type="file" class="visually-hidden"${attributes} aria-describedby="${hint}"><label for="${id}" class="button quiet">${label}</label>`;
  return html`<fieldset role="none" data-kind="file" class="stack" hidden disabled>
<div id="file-drop" class="drop">
<p>${t.dropFile}</p>
<div class="drop-choices">${choose('file', t.chooseFile, html` multiple`, 'file-hint')}</div>
<p id="file-chosen" class="drop-chosen" role="status" hidden></p>
<p class="hint" id="file-hint">${t.fileHint}</p>
</div>
<ul id="file-list" class="paths" aria-label="${t.kindFile}" tabindex="0" hidden></ul>
<template id="chosen-file"><li class="row end"><span class="grow"></span><button type="button" class="button quiet small">×</button></li></template>
</fieldset>
<fieldset role="none" data-kind="site" class="stack" hidden disabled>
<div id="site-drop" class="drop">
<p>${t.dropSite}</p>
<div class="drop-choices">${choose('archive', t.chooseZip, html` accept=".zip,application/zip"`, 'site-hint')}${choose('folder', t.chooseFolder, html` webkitdirectory multiple`, 'site-hint')}</div>
<p id="site-chosen" class="drop-chosen" role="status" hidden></p>
<p class="hint" id="site-hint">${t.siteHint}</p>
</div>
<details id="site-list" hidden><summary id="site-list-summary"></summary><ul id="site-paths" class="paths" tabindex="0"></ul></details>
</fieldset>
`;
}

function dataFields(texts: Texts): SafeHtml {
  const { form: t } = texts;
  return html`<fieldset role="none" data-kind="json" class="stack" hidden disabled>
${editingField({ field: html`<textarea id="document" name="document" class="code" rows="9" aria-required="true" spellcheck="false" placeholder="${t.documentExample}" aria-describedby="document-said"></textarea>`, id: 'document', label: t.document, isPage: false }, texts)}
<p class="hint" id="document-said" role="status"></p>
</fieldset>
<fieldset data-kind="kv" class="stack" hidden disabled><legend class="visually-hidden">${t.pairs}</legend>
<div id="pairs" class="pairs"></div>
<div class="row end"><button type="button" id="pair-add" class="button quiet small">${t.addPair}</button><p class="hint grow">${t.pairsHint}</p></div>
</fieldset>
`;
}

/** Each choice says before publishing, and not afterwards, who will find the item. */
function visibility({ form: t }: Texts): SafeHtml {
  const choice = (value: string, label: string, hint: string, checked: boolean): SafeHtml =>
    html`<div class="option"><input id="visibility-${value}" type="radio" name="visibility" value="${value}" aria-describedby="visibility-${value}-hint"${checked ? html` checked` : null}><div><label for="visibility-${value}">${label}</label><p class="hint" id="visibility-${value}-hint">${hint}</p></div></div>`;
  return html`<fieldset class="options"><legend>${t.visibility}</legend>
${choice('listed', t.listed, t.listedHint, true)}${choice('unlisted', t.unlisted, t.unlistedHint, false)}
</fieldset>`;
}

/** Shown as it is typed: it is passed on to readers, and a slip would lock them out. */
const passwordField = (
  texts: Texts,
): SafeHtml => html`<div class="field"><label for="password">${texts.form.password} ${optional(texts)}</label>
<input id="password" name="password" type="text" maxlength="200" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="password-hint">
<p class="hint" id="password-hint">${texts.form.passwordHint}</p></div>`;

const moreOptions = (
  texts: Texts,
): SafeHtml => html`<details class="more"><summary>${texts.form.more}</summary>
<div class="row">
<div class="field grow"><label for="id">${texts.form.id} ${optional(texts)}</label>
<input id="id" name="id" type="text" maxlength="64" pattern="[A-Za-z0-9][A-Za-z0-9._\\-]*" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="id-hint">
<p class="hint" id="id-hint">${texts.form.idHint}</p></div>
<div class="field grow"><label for="tags">${texts.form.tags} ${optional(texts)}</label>
<input id="tags" name="tags" type="text" maxlength="1000" autocomplete="off" spellcheck="false" aria-describedby="tags-hint">
<p class="hint" id="tags-hint">${texts.form.tagsHint}</p></div>
</div></details>`;

/** Where results are put, newest first, and what one looks like. */
export function publishResult({ result: t, language: words }: Texts): SafeHtml {
  return html`<div id="publish-results"></div>
<template id="publish-result"><article class="panel stack" tabindex="-1">
<h3><span class="result-state"></span><bdi class="result-name"></bdi></h3>
<p class="notice result-again" role="status" hidden></p>
<div class="notice result-warning" role="status" hidden></div>
<dl class="results">
<div><dt>${t.address}</dt><dd data-copy="${t.copyAddress}"><a class="result-url" href="/"></a></dd></div>
<div><dt>${t.shortAddress}</dt><dd data-copy="${t.copyShortAddress}"><a class="result-short-url" href="/"></a></dd></div>
<div><dt>${t.token}</dt><dd data-copy="${t.copyToken}"><code class="result-token"></code></dd></div>
<div><dt>${t.manage}</dt><dd class="result-links"><a class="result-manage" href="/mine">${t.manageLink}</a> <a class="result-edit" href="/mine">${t.edit}</a></dd></div>
<div><dt>${words.expires}</dt><dd><time class="result-expires"></time></dd></div>
</dl>
<img class="result-qr" alt="${t.qrCode}" width="160" height="160" hidden>
<p class="notice result-kept">${t.kept.before}<a href="/mine">${t.kept.link}</a>${t.kept.after}</p>
<p class="notice result-not-kept">${t.keepToken}</p>
</article></template>`;
}
