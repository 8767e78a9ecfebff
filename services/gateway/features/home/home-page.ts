import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import type { Language } from '../../http/language.ts';
import { page } from '../../pages/page.ts';
import { type Texts, textsIn } from '../../web/texts/texts.ts';
import { publishForm, publishResult } from './publish-form.ts';

interface HomePageInput {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly language?: Language;
}

/** The home page: what the service is, a form that publishes, and how to use it from a shell. */
export function homePage({ baseUrl, language = 'en' }: HomePageInput): string {
  const texts = textsIn(language);
  const { home } = texts;
  const body = html`<section class="intro">
<h1>${home.title}</h1>
<p class="lead">${home.description} ${home.lead} ${home.others.before}<a href="/gallery">${home.others.link}</a>${home.others.after}</p>
</section>
<section aria-labelledby="publish">
<h2 id="publish">${home.publish}</h2>
${publishForm(texts)}
${publishResult(texts)}
</section>
<section aria-labelledby="shell">
<h2 id="shell">${home.shell}</h2>
<p>${home.shellLead.before}<a href="/docs">${home.shellLead.reference}</a>${home.shellLead.between}<a href="/llms.txt">llms.txt</a>${home.shellLead.after}</p>
${examples(baseUrl, texts)}
</section>`;
  return page({
    ...{ title: 'Perch', description: home.description, body, width: 'wide', language },
    ...{ script: 'home', current: '/', address: `${baseUrl}/` },
  });
}

/** One for each kind, and how to change and delete. */
function examples(baseUrl: string, { home }: Texts): SafeHtml {
  const texts = home.examples;
  const list = [
    {
      ...texts.page,
      command: `curl ${baseUrl}/api/html \\
  -H "Content-Type: text/markdown" \\
  --data-binary @notes.md`,
    },
    { ...texts.file, command: `curl ${baseUrl}/api/files -F file=@photo.jpg` },
    { ...texts.site, command: `curl ${baseUrl}/api/sites -F archive=@site.zip` },
    {
      ...texts.json,
      command: `curl ${baseUrl}/api/json \\
  -H "Content-Type: application/json" \\
  --data-binary @data.json`,
    },
    {
      ...texts.kv,
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
      ...texts.change,
      command: `curl -X PUT ${baseUrl}/api/html/public/ID \\
  -H "X-Owner-Token: $OWNER_TOKEN" \\
  -H "Content-Type: text/markdown" \\
  --data-binary @notes.md

curl -X DELETE ${baseUrl}/api/html/public/ID \\
  -H "X-Owner-Token: $OWNER_TOKEN"`,
    },
  ];
  return html`${list.map(
    ({ title, caption, command }) =>
      html`<figure class="example"><figcaption><h3>${title}</h3>${caption}</figcaption><div class="command" data-copy="${home.copyCommand}"><pre tabindex="0"><code>${command}</code></pre></div></figure>\n`,
  )}`;
}
