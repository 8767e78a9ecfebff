import { html, type SafeHtml } from '../../../shared/pages/html.ts';
import { page } from './page.ts';

const DESCRIPTION = 'Perch hosts HTML, markdown and text pages under short addresses, without an account.';

/** The home page: what the service is, how to use it from a shell, and a form that publishes. `baseUrl` has no slash at its end. */
export function homePage({ baseUrl }: { readonly baseUrl: string }): string {
  const body = html`<section class="intro">
<h1>Put a page on the web in one request</h1>
<p class="lead">${DESCRIPTION} What you publish stays for up to 30 days, and the owner token you get back lets you change or delete it.</p>
</section>
<section aria-labelledby="publish">
<h2 id="publish">Publish a page</h2>
${publishForm()}
</section>
<section aria-labelledby="shell">
<h2 id="shell">From a shell</h2>
${examples(baseUrl)}
</section>`;
  const scripts = ['publish.js', 'copy.js'];
  return page({ title: 'Perch', description: DESCRIPTION, body, width: 'wide', scripts, indexed: true });
}

function publishForm(): SafeHtml {
  return html`<form id="publish-form" class="panel stack">
<div class="field"><label for="content">Content</label>
<textarea id="content" name="content" class="code" rows="9" required spellcheck="false" placeholder="# Hello"></textarea></div>
<div class="row">
<div class="field grow"><label for="title">Title <span class="optional">optional</span></label>
<input id="title" name="title" type="text" maxlength="200" autocomplete="off"></div>
<div class="field"><label for="format">Format</label>
<select id="format" name="format"><option value="MARKDOWN">Markdown</option><option value="HTML">HTML</option><option value="TEXT">Text</option></select></div>
<div class="field"><label for="ttl">Keep for</label>
<select id="ttl" name="ttl"><option value="1">1 day</option><option value="7">7 days</option><option value="15" selected>15 days</option><option value="30">30 days</option></select></div>
</div>
<div class="notice error" id="publish-error" role="alert" tabindex="-1" hidden></div>
<div class="row end">
<p class="hint grow">Pages published here are public: anyone with the address can read them.</p>
<button type="submit" class="button" disabled>Publish</button>
</div>
<noscript><p class="hint">This form needs JavaScript. The commands below do not.</p></noscript>
</form>
<div class="panel stack" id="publish-result" role="status" tabindex="-1" hidden>
<h3>Published</h3>
<dl class="results">
<div><dt>Address</dt><dd data-copy="Copy address"><a id="result-url" href="/"></a></dd></div>
<div><dt>Short address</dt><dd data-copy="Copy short address"><a id="result-short-url" href="/"></a></dd></div>
<div><dt>Owner token</dt><dd data-copy="Copy owner token"><code id="result-token"></code></dd></div>
<div><dt>Expires</dt><dd><time id="result-expires"></time></dd></div>
</dl>
<p class="notice">Keep the owner token. It is the only way to change or delete the page, and it cannot be shown again.</p>
</div>`;
}

function examples(baseUrl: string): SafeHtml {
  const list = [
    {
      caption: 'Publish a markdown file. The answer holds the address and the owner token.',
      command: `curl ${baseUrl}/api/html \\
  -H "Content-Type: text/markdown" \\
  --data-binary @notes.md`,
    },
    {
      caption: 'Replace it with a newer version. The address stays.',
      command: `curl -X PUT ${baseUrl}/api/html/public/ID \\
  -H "X-Owner-Token: $OWNER_TOKEN" \\
  -H "Content-Type: text/markdown" \\
  --data-binary @notes.md`,
    },
    { caption: 'Read it, rendered.', command: `curl ${baseUrl}/public/ID` },
  ];
  return html`${list.map(
    ({ caption, command }) =>
      html`<figure class="example"><figcaption>${caption}</figcaption><div class="command" data-copy="Copy command"><pre tabindex="0"><code>${command}</code></pre></div></figure>\n`,
  )}`;
}
