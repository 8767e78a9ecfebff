import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { page } from '../../pages/page.ts';

const DESCRIPTION =
  'Perch hosts pages, files, sites, JSON documents and key-value stores under short addresses, without an account.';

/** The home page: what the service is, a form that publishes, and how to use it from a shell. `baseUrl` has no slash at its end. */
export function homePage({ baseUrl }: { readonly baseUrl: string }): string {
  const body = html`<section class="intro">
<h1>Put it on the web in one request</h1>
<p class="lead">${DESCRIPTION} What you publish stays for up to 30 days, and the owner token you get back lets you change or delete it. See what others have published in the <a href="/gallery">gallery</a>.</p>
</section>
<section aria-labelledby="publish">
<h2 id="publish">Publish</h2>
${publishForm()}
</section>
<section aria-labelledby="shell">
<h2 id="shell">From a shell</h2>
<p>Each answer holds the address and the owner token. The <a href="/docs">API reference</a> lists every address, parameter and error; a language model reads <a href="/llms.txt">llms.txt</a>.</p>
${examples(baseUrl)}
</section>`;
  const scripts = ['publish.js', 'copy.js'];
  return page({
    title: 'Perch',
    description: DESCRIPTION,
    body,
    width: 'wide',
    scripts,
    address: `${baseUrl}/`,
  });
}

/** The parts of other kinds than the chosen one are hidden and disabled: they take no part in the form. */
function publishForm(): SafeHtml {
  return html`<form id="publish-form" class="panel stack">
<fieldset class="choices"><legend class="visually-hidden">What to publish</legend>
<input id="kind-page" type="radio" name="kind" value="page" checked><label for="kind-page">Page</label>
<input id="kind-file" type="radio" name="kind" value="file"><label for="kind-file">File</label>
<input id="kind-site" type="radio" name="kind" value="site"><label for="kind-site">Site</label>
</fieldset>
<fieldset role="none" id="page-fields" class="stack">
<div class="field"><label for="content">Content</label>
<textarea id="content" name="content" class="code" rows="9" required spellcheck="false" placeholder="# Hello"></textarea></div>
</fieldset>
<fieldset role="none" id="file-fields" class="stack" hidden disabled>
<div id="file-drop" class="drop">
<p>Drop a file here, or choose one.</p>
<div class="drop-choices">${fileInput('file', 'Choose a file', html``)}</div>
<p id="file-chosen" class="drop-chosen" role="status" hidden></p>
<p class="hint" id="file-hint">Text, image, audio, PDF, ZIP or font up to 5 MB; video up to 20 MB.</p>
</div>
</fieldset>
<fieldset role="none" id="site-fields" class="stack" hidden disabled>
<div id="site-drop" class="drop">
<p>Drop a ZIP or a folder here, or choose one.</p>
<div class="drop-choices">${fileInput('archive', 'Choose a ZIP', html` accept=".zip,application/zip"`, 'site-hint')}${fileInput('folder', 'Choose a folder', html` webkitdirectory multiple`, 'site-hint')}</div>
<p id="site-chosen" class="drop-chosen" role="status" hidden></p>
<p class="hint" id="site-hint">HTML with its styles, scripts and images: up to 1000 files of 5 MB each.</p>
</div>
</fieldset>
<div class="row">
<div class="field grow"><label for="title">Title <span class="optional">optional</span></label>
<input id="title" name="title" type="text" maxlength="200" autocomplete="off"></div>
<fieldset role="none" id="page-options" class="field"><label for="format">Format</label>
<select id="format" name="format"><option value="MARKDOWN">Markdown</option><option value="HTML">HTML</option><option value="TEXT">Text</option></select></fieldset>
<fieldset role="none" id="site-options" class="field" hidden disabled><label for="entry">First file <span class="optional">optional</span></label>
<input id="entry" name="entry" type="text" maxlength="500" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="index.html"></fieldset>
<div class="field"><label for="ttl">Keep for</label>
<select id="ttl" name="ttl"><option value="1">1 day</option><option value="7">7 days</option><option value="15" selected>15 days</option><option value="30">30 days</option></select></div>
</div>
${passwordField()}
<div class="row end" id="publish-progress" hidden>
<div class="grow"><p id="publish-phase" role="status"></p>
<progress id="publish-bar" max="1" aria-labelledby="publish-phase"></progress></div>
<button type="button" class="button quiet" id="publish-cancel">Cancel</button>
</div>
<div class="notice error" id="publish-error" role="alert" tabindex="-1" hidden></div>
<div class="row end">
<p class="hint grow">What you publish here without a password is public: anyone can read it. It is listed in the gallery, and search engines may find it.</p>
<button type="submit" class="button" disabled>Publish</button>
</div>
<noscript><p class="hint">This form needs JavaScript. The commands below do not.</p></noscript>
</form>
${publishResult()}`;
}

const fileInput = (id: string, label: string, attributes: SafeHtml, hint = `${id}-hint`): SafeHtml =>
  html`<input id="${id}" type="file" class="visually-hidden"${attributes} aria-describedby="${hint}"><label for="${id}" class="button quiet">${label}</label>`;

/** Shown as it is typed: it is passed on to readers, and a slip would lock them out. */
function passwordField(): SafeHtml {
  return html`<div class="field"><label for="password">Password <span class="optional">optional</span></label>
<input id="password" name="password" type="text" maxlength="200" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="password-hint">
<p class="hint" id="password-hint">Readers are asked for it. What has one is not listed in the gallery, and search engines cannot read it.</p></div>`;
}

/** Where results are put, newest first, and what one looks like. */
function publishResult(): SafeHtml {
  return html`<div id="publish-results"></div>
<template id="publish-result"><article class="panel stack" tabindex="-1">
<h3></h3>
<dl class="results">
<div><dt>Address</dt><dd data-copy="Copy address"><a class="result-url" href="/"></a></dd></div>
<div><dt>Short address</dt><dd data-copy="Copy short address"><a class="result-short-url" href="/"></a></dd></div>
<div><dt>Owner token</dt><dd data-copy="Copy owner token"><code class="result-token"></code></dd></div>
<div><dt>Expires</dt><dd><time class="result-expires"></time></dd></div>
</dl>
<img class="result-qr" alt="QR code of the address" width="160" height="160" hidden>
<p class="notice">Keep the owner token. It is the only way to change or delete what you published, and it cannot be shown again.</p>
</article></template>`;
}

/** One for each kind, and how to change and delete. */
function examples(baseUrl: string): SafeHtml {
  const list = [
    {
      kind: 'Page',
      caption: 'A markdown file, read as a page. HTML and plain text work the same way.',
      command: `curl ${baseUrl}/api/html \\
  -H "Content-Type: text/markdown" \\
  --data-binary @notes.md`,
    },
    {
      kind: 'File',
      caption: 'An image, a video, a PDF: with a viewer for people, and the bytes for everything else.',
      command: `curl ${baseUrl}/api/files -F file=@photo.jpg`,
    },
    {
      kind: 'Site',
      caption: 'A ZIP of HTML, styles, scripts and images. Its index.html is what the address shows.',
      command: `curl ${baseUrl}/api/sites -F archive=@site.zip`,
    },
    {
      kind: 'JSON',
      caption: 'A document, served byte for byte as you sent it.',
      command: `curl ${baseUrl}/api/json \\
  -H "Content-Type: application/json" \\
  --data-binary @data.json`,
    },
    {
      kind: 'Key-value store',
      caption: 'Up to 1000 keys, each with an address that always gives its latest value.',
      command: `curl ${baseUrl}/api/kv \\
  -H "Content-Type: application/json" \\
  -d '{"key": "status", "value": "starting"}'

curl -X PUT ${baseUrl}/api/kv/public/ID/status \\
  -H "X-Owner-Token: $OWNER_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{"value": "ready"}'

curl ${baseUrl}/public/ID/status`,
    },
    {
      kind: 'Change and delete',
      caption: 'A page, a document or a site gets new content under the same address.',
      command: `curl -X PUT ${baseUrl}/api/html/public/ID \\
  -H "X-Owner-Token: $OWNER_TOKEN" \\
  -H "Content-Type: text/markdown" \\
  --data-binary @notes.md

curl -X DELETE ${baseUrl}/api/html/public/ID \\
  -H "X-Owner-Token: $OWNER_TOKEN"`,
    },
  ];
  return html`${list.map(
    ({ kind, caption, command }) =>
      html`<figure class="example"><figcaption><h3>${kind}</h3>${caption}</figcaption><div class="command" data-copy="Copy command"><pre tabindex="0"><code>${command}</code></pre></div></figure>\n`,
  )}`;
}
