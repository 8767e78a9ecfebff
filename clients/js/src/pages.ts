import type { ItemRef } from './address.ts';
import { textOf } from './answers.ts';
import { type CreateOptions, callOf, Kind } from './kind.ts';
import type { Answer, Query } from './operation.ts';
import type { CallOptions, UploadOptions } from './transport.ts';
import { bodyOf, type UploadSource } from './upload-body.ts';

export interface PageContentOptions {
  /** Tells HTML, markdown and text apart: `text/html`, `text/markdown`, `text/plain`, `text/csv`, … */
  contentType?: string | undefined;
}

/** HTML, markdown and text. */
export class Pages extends Kind<'/api/html'> {
  /** Publishes a page. Without `contentType` what begins like HTML is HTML, all else text. */
  async create(
    content: UploadSource,
    options: CreateOptions<'/api/html'> & PageContentOptions = {},
  ): Promise<Answer<'post', '/api/html'>> {
    const { contentType = 'text/plain', ...rest } = options;
    return this.send(bodyOf([content], contentType), rest);
  }

  /** Replaces the content; address, format, tags and end of life stay. */
  async update(
    item: ItemRef,
    content: UploadSource,
    options: Query<'put', '/api/html/{ns}/{id}'> & CallOptions & UploadOptions & PageContentOptions = {},
  ): Promise<Answer<'put', '/api/html/{ns}/{id}'>> {
    const { contentType = 'text/plain', signal, ownerToken, password, onProgress, ...query } = options;
    return this.transport.json({
      method: 'put',
      address: this.addressOf(item, '', query),
      body: bodyOf([content], contentType),
      ...callOf(item, { signal, ownerToken, password, onProgress }),
    });
  }

  /** The page as it was uploaded; counts no view. */
  async read(item: ItemRef, options: CallOptions = {}): Promise<string> {
    const address = this.addressOf(item, '', { raw: true });
    return textOf((await this.transport.send({ method: 'get', address, ...callOf(item, options) })).bytes);
  }

  /** Reads the settings, for the owner only. */
  async settings(
    item: ItemRef,
    options: CallOptions = {},
  ): Promise<Answer<'get', '/api/html/{ns}/{id}/settings'>> {
    const address = this.addressOf(item, '/settings');
    return this.transport.json({ method: 'get', address, ...callOf(item, options) });
  }

  /** The uploaded text with what belongs to it. For the owner only. */
  async source(
    item: ItemRef,
    options: CallOptions = {},
  ): Promise<Answer<'get', '/api/html/{ns}/{id}/source'>> {
    const address = this.addressOf(item, '/source');
    return this.transport.json({ method: 'get', address, ...callOf(item, options) });
  }
}
