import { Elysia } from 'elysia';
import { errors } from '../../../../shared/errors.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { limited } from '../../admission/limited.ts';
import type { Language } from '../../http/language.ts';
import { bytes, CACHEABLE, ok, redirect, text, unchanged } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { type Operation, parameterRef } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';
import { PREVIEW_FRAME_PATH } from '../../pages/owner-parts.ts';
import { page } from '../../pages/page.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { findAsset } from '../../web/assets.ts';
import { fixedResponse } from '../../web/fixed-body.ts';
import { type Texts, textsIn } from '../../web/texts/texts.ts';
import { publishForm, publishResult } from './publish-form.ts';

const OPEN = { open: true, local: true };

const SHOW_HOME: Operation = {
  operationId: 'showHome',
  summary: 'The home page',
  description: 'What the service is, and a form that publishes a page, a file or a site.',
  tags: ['Service'],
  security: [],
  parameters: parameters(),
  responses: {
    '200': ownPage('The page.', 'Perch'),
    '302': redirect('To the host that has this page.'),
    ...failures([], { page: true, local: true }),
  },
  'x-example-requests': [{ summary: 'The home page', status: 200 }],
};

const READ_ASSET: Operation = {
  operationId: 'readAsset',
  summary: "A file of the service's own pages",
  description:
    "Styles, scripts and pictures. The service's pages ask for them by addresses with a hash of the content, which are cached for good; without it, or with that of another release, a cache has to ask each time.",
  tags: ['Service'],
  security: [],
  parameters: ['AssetName', 'IfNoneMatch'].map(parameterRef),
  responses: {
    '200': ok(
      'The file.',
      {
        ...text('text/css', 'body { margin: 0 }\n', 'style'),
        ...text('text/javascript', 'document.title;\n', 'script'),
        ...bytes('image/png', 'A picture', 'PNG'),
        ...text('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>\n', 'picture'),
      },
      CACHEABLE,
    ),
    ...unchanged(),
    ...failures(['NOT_FOUND'], OPEN),
  },
  'x-example-requests': [
    { summary: 'A stylesheet', status: 200, path: { name: 'perch.css' } },
    { summary: 'A file that is not there', status: 404, path: { name: 'nothing.css' } },
  ],
};

const READ_FAVICON: Operation = {
  operationId: 'readFavicon',
  summary: "The service's icon",
  description: 'Where browsers look for it by themselves.',
  tags: ['Service'],
  security: [],
  parameters: [],
  responses: { '302': redirect('To the picture.'), ...failures([], OPEN) },
  'x-example-requests': [{ summary: 'The icon', status: 302 }],
};

/** The service's own page and the files its pages use. */
export function homeAndAssetRoutes(deps: UploadDependencies) {
  return new Elysia()
    .use(limited(deps))
    .get(
      '/',
      ({ context }) => {
        const { baseUrl, language } = context;
        return servicePage(context, homePage({ baseUrl, language }), { framed: PREVIEW_FRAME_PATH });
      },
      { detail: documented(SHOW_HOME, 'page') },
    )
    .get(
      '/favicon.ico',
      () => new Response(null, { status: 302, headers: { Location: '/assets/favicon.svg' } }),
      { detail: documented(READ_FAVICON, 'static') },
    )
    .get(
      '/assets/:name',
      async ({ request, params: { name } }) => {
        const asset = await findAsset(name);
        if (asset === null) throw errors.routeNotFound(`/assets/${name.slice(0, 100)}`);
        return await fixedResponse(request, asset.body, asset.cacheControl);
      },
      { detail: documented(READ_ASSET, 'static') },
    );
}

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
<p>${home.agents.before}<code>${baseUrl}/mcp</code>${home.agents.after}</p>
${examples(baseUrl, texts)}
</section>`;
  return page({
    title: 'Perch',
    description: home.description,
    body,
    width: 'wide',
    language,
    script: 'home',
    current: '/',
    address: `${baseUrl}/`,
  });
}

/** One for any file, one for each kind, and how to change and delete. */
function examples(baseUrl: string, { home }: Texts): SafeHtml {
  const texts = home.examples;
  const list = [
    { ...texts.any, command: `curl -T report.html ${baseUrl}/` },
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
