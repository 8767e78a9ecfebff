import { formatSize } from '../../../../shared/pages/format-size.ts';
import { html } from '../../../../shared/pages/html.ts';
import type { Language } from '../../http/language.ts';
import type { ViewerAddresses } from '../../items/item-viewer.ts';
import { DATA_ASSETS, dataView, itemHead } from '../../pages/item-parts.ts';
import { page } from '../../pages/page.ts';
import { textsIn } from '../../web/texts/texts.ts';

export interface DocumentPageInput extends ViewerAddresses {
  readonly namespace: string;
  readonly id: string;
  /** Empty when its owner gave it none. */
  readonly title: string;
  readonly sizeBytes: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly views: number;
  /** How its text begins. */
  readonly beginning: string;
  readonly isWhole: boolean;
  readonly language: Language;
}

/** A JSON document for people: a tree, or without script the beginning of its text. */
export function documentPage(input: DocumentPageInput): string {
  const { namespace, id, title, sizeBytes, language, publicUrl, previewUrl } = input;
  const texts = textsIn(language);
  const { language: words, file, dataView: view } = texts;
  const name = html`<span class="muted">${namespace}/</span>${id}`;
  const head = {
    ...{ heading: title === '' ? name : html`<bdi>${title}</bdi>`, actionsOf: view.document },
    facts: [title === '' ? null : name, 'JSON', formatSize(sizeBytes, words), words.views(input.views)],
    ...{ createdAt: input.createdAt, expiresAt: input.expiresAt, reportUrl: input.reportUrl },
    actions: [
      html`<a class="button" href="${input.downloadUrl}">${words.download}</a>`,
      html`<a class="button quiet" href="${input.rawUrl}">${file.raw}</a>`,
    ],
  };
  const shown = { format: 'json', dataUrl: input.mediaUrl, beginning: input.beginning } as const;
  const body = html`<article class="file-view">
${itemHead(head, texts)}
${dataView({ ...shown, isWhole: input.isWhole, wholeUrl: input.rawUrl }, texts)}
</article>`;
  return page({
    ...{ title: `${title || `${namespace}/${id}`} · Perch`, body, width: 'wide', language },
    ...{ description: `JSON, ${formatSize(sizeBytes, words)}`, ...DATA_ASSETS },
    ...(publicUrl === undefined ? {} : { address: publicUrl }),
    ...(previewUrl === undefined ? {} : { imageUrl: previewUrl }),
  });
}
