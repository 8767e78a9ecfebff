import type { ItemRecordOf } from '../../../../shared/items/item-record.ts';
import { html } from '../../../../shared/pages/html.ts';
import { formatSize } from '../../../../shared/wording/format-size.ts';
import type { Language } from '../../http/language.ts';
import type { Beginning, ViewerAddresses } from '../../items/item-viewer.ts';
import { DATA_ASSETS, dataView, itemHead } from '../../pages/item-parts.ts';
import { page } from '../../pages/page.ts';
import { textsIn } from '../../web/texts/texts.ts';

/** A JSON document for people: a tree, or without script the beginning of its text. */
export function documentPage(
  { namespace, id, title, sizeBytes, createdAt, expiresAt }: ItemRecordOf<'json'>,
  { mediaUrl, downloadUrl, rawUrl, reportUrl, publicUrl, previewUrl }: ViewerAddresses,
  begun: Beginning,
  views: number,
  language: Language,
): string {
  const texts = textsIn(language);
  const { language: words, file, dataView: view } = texts;
  const name = html`<span class="muted">${namespace}/</span>${id}`;
  const head = {
    heading: title === '' ? name : html`<bdi>${title}</bdi>`,
    actionsOf: view.document,
    facts: [title === '' ? null : name, 'JSON', formatSize(sizeBytes, words), words.views(views)],
    createdAt: new Date(createdAt),
    expiresAt: new Date(expiresAt),
    reportUrl,
    actions: [
      html`<a class="button" href="${downloadUrl}">${words.download}</a>`,
      html`<a class="button quiet" href="${rawUrl}">${file.raw}</a>`,
    ],
  };
  const body = html`<article class="file-view">
${itemHead(head, texts)}
${dataView({ format: 'json', dataUrl: mediaUrl, wholeUrl: rawUrl, ...begun }, texts)}
</article>`;
  return page({
    title: `${title || `${namespace}/${id}`} · Perch`,
    body,
    width: 'wide',
    language,
    description: `JSON, ${formatSize(sizeBytes, words)}`,
    ...DATA_ASSETS,
    address: publicUrl,
    imageUrl: previewUrl,
  });
}
