import { Elysia } from 'elysia';
import { errors } from '../../../../shared/errors.ts';
import { isUnrestricted } from '../../../../shared/items/item-record.ts';
import { html } from '../../../../shared/pages/html.ts';
import { PerchError } from '../../../../shared/perch-error.ts';
import { limited } from '../../admission/limited.ts';
import { hasCurrent } from '../../http/conditional.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { isListed } from '../../items/content-headers.ts';
import { findLiveItem, type ItemAddress } from '../../items/find-live-item.ts';
import { previewUrl } from '../../items/item-address.ts';
import { bytes, redirect } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { headers, RATE_LIMIT } from '../../openapi/headers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';
import { page } from '../../pages/page.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { PageDependencies } from '../../rendered-pages/rendered-pages.ts';
import { textsIn } from '../../web/texts/texts.ts';
import { cardOf, createCardPictures } from './card-pictures.ts';

const GENERAL = '/assets/og.png';

const READ_PICTURE: Operation = {
  operationId: 'readPreviewPicture',
  summary: 'A picture of an item, for link previews',
  description:
    'A PNG of 1200 by 630 with title, kind, tags, namespace and the beginning of the content. Of what is missing or has a password, and when drawing takes too long, the general picture. Counts no view. The address ends with `.png`.',
  tags: ['Short URLs'],
  security: [],
  parameters: parameters('Namespace', 'PictureName', 'IfNoneMatch'),
  responses: {
    '200': {
      description: 'The picture.',
      headers: headers(['Cache-Control', 'ETag'], RATE_LIMIT),
      content: bytes('image/png', 'A picture', 'PNG'),
    },
    '304': { description: 'You have it.', headers: headers(['Cache-Control', 'ETag'], RATE_LIMIT) },
    '302': redirect('To the general picture.'),
    ...failures(['NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'A page', status: 200, needs: 'html' },
    { summary: 'Of what is not there', status: 302, path: { ns: 'public', name: 'nothing-is-here.png' } },
    { summary: 'Another file', status: 404, path: { ns: 'public', name: 'Ab3dE6gH9k.gif' } },
  ],
};

const READ_PAGE: Operation = {
  operationId: 'readPreviewPage',
  summary: 'A page about an item, for link previews',
  description:
    'Its title and picture in meta tags, and a link to it. Of what is missing, not in `public` or has a password a general page; nothing tells which of the three it is.',
  tags: ['Short URLs'],
  security: [],
  parameters: parameters('Namespace', 'Id'),
  responses: {
    '200': ownPage('The page.', 'Launch'),
    '302': redirect('To the host that has this page.'),
    ...failures(['NOT_FOUND', 'RATE_LIMITED'], { page: true }),
  },
  'x-example-requests': [{ summary: 'A page', status: 200, needs: 'html' }],
};

/** Link previews of items (specification 19.4). */
export function previewRoutes(deps: PageDependencies) {
  const pictures = createCardPictures();

  const answerPicture = async (context: RequestContext, address: ItemAddress): Promise<Response> => {
    try {
      const { record } = await findLiveItem(deps, context, address);
      if (!isUnrestricted(record)) return general();
      const key = `${record.code} ${record.version}`;
      const etag = `"og-${Bun.SHA256.hash(key, 'hex').slice(0, 32)}"`;
      const answered = { 'Cache-Control': 'public, max-age=3600', 'Content-Type': 'image/png', ETag: etag };
      if (hasCurrent(context.request, etag)) return new Response(null, { status: 304, headers: answered });
      const picture = await pictures.draw(context.clientKey, key, () => cardOf(deps, context, record));
      return picture === null ? general() : new Response(picture, { headers: answered });
    } catch (error) {
      if (!(error instanceof PerchError)) deps.log.warn({ error }, 'a preview picture cannot be drawn');
      // A link needs some picture, whatever went wrong here.
      return general();
    }
  };

  return new Elysia()
    .use(limited(deps))
    .get(
      '/preview/:ns/:name',
      ({ context, params: { ns, name } }) =>
        name.endsWith('.png')
          ? answerPicture(context, { ns, id: name.slice(0, -'.png'.length) })
          : Promise.reject(errors.routeNotFound(context.path)),
      { limit: 'reads', detail: documented(READ_PICTURE, 'text') },
    )
    .get(
      '/preview-html/:ns/:id',
      async ({ context, params }) => servicePage(context, await previewPage(deps, context, params)),
      { limit: 'reads', detail: documented(READ_PAGE, 'page') },
    );
}

const general = (): Response =>
  new Response(null, { status: 302, headers: { Location: GENERAL, 'Cache-Control': 'no-cache' } });

/** The page of a listed item; a general one of any other, as of one that is not there. */
async function previewPage(
  deps: PageDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<string> {
  const { baseUrl, language } = context;
  const { edit, home, language: words } = textsIn(language);
  const found = await findLiveItem(deps, context, address).catch(() => null);
  if (found === null || !isListed(found.record)) {
    context.item = null;
    return page({
      title: 'Perch',
      width: 'narrow',
      language,
      description: home.description,
      address: `${baseUrl}/`,
      imageUrl: `${baseUrl}${GENERAL}`,
      body: html`<h1>Perch</h1>\n<p>${home.description} ${home.others.before}<a href="/gallery">${home.others.link}</a>${home.others.after}</p>\n<p><a href="/">${words.home}</a></p>`,
    });
  }
  const { namespace, id, title, tags } = found.record;
  const name = title === '' ? id : title;
  const path = `/${namespace}/${id}`;
  return page({
    title: `${name} · Perch`,
    width: 'narrow',
    language,
    description: tags.length === 0 ? `${namespace}/${id} · Perch` : tags.join(', '),
    address: `${baseUrl}${path}`,
    imageUrl: previewUrl(baseUrl, found.record),
    body: html`<h1>${name}</h1>\n<p><a href="${path}">${edit.open}</a></p>`,
  });
}
