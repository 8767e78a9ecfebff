import { addressOf, type ItemRef } from './address.ts';
import { type CreateOptions, callOf, Kind } from './kind.ts';
import type { Answer, Query } from './operation.ts';
import type { CallOptions, UploadOptions } from './transport.ts';
import { bodyOf, type FormPart, formOf, type UploadBody, type UploadSource } from './upload-body.ts';

/** A file of a site; its path is relative, with slashes. */
export interface SiteFile {
  path: string;
  content: UploadSource;
}

/** A ZIP, or the files one by one. */
export type SiteContent = { archive: UploadSource } | Iterable<SiteFile>;

/** Several files under one address. */
export class Sites extends Kind<'/api/sites'> {
  async create(
    content: SiteContent,
    options: CreateOptions<'/api/sites'> = {},
  ): Promise<Answer<'post', '/api/sites'>> {
    return this.send(siteBody(content), options);
  }

  /** Replaces all files at once: who reads meanwhile sees the old site or the new one. */
  async replace(
    item: ItemRef,
    content: SiteContent,
    options: Query<'put', '/api/sites/{ns}/{id}'> & CallOptions & UploadOptions = {},
  ): Promise<Answer<'put', '/api/sites/{ns}/{id}'>> {
    const { signal, ownerToken, password, onProgress, ...query } = options;
    return this.transport.json({
      method: 'put',
      address: this.addressOf(item, '', query),
      body: siteBody(content),
      ...callOf(item, { signal, ownerToken, password, onProgress }),
    });
  }

  /** Describes a site with the list of its files. */
  async read(item: ItemRef, options: CallOptions = {}): Promise<Answer<'get', '/api/sites/{ns}/{id}'>> {
    return this.transport.json({ method: 'get', address: this.addressOf(item), ...callOf(item, options) });
  }

  /** All files as one ZIP, to be read as a stream. */
  async archive(item: ItemRef, options: CallOptions = {}): Promise<Response> {
    const address = addressOf('/api/sites/{ns}/{id}/archive', { ns: item.namespace, id: item.id });
    return this.transport.stream({ method: 'get', address, ...callOf(item, options) });
  }

  /** One file of a site, to be read as a stream, a Blob or bytes. */
  async readFile(item: ItemRef, path: string, options: CallOptions = {}): Promise<Response> {
    const address = addressOf('/api/sites/{ns}/{id}/files/{filePath}', {
      ns: item.namespace,
      id: item.id,
      filePath: path,
    });
    return this.transport.stream({ method: 'get', address, ...callOf(item, options) });
  }
}

function siteBody(content: SiteContent): UploadBody {
  if ('archive' in content) return bodyOf([content.archive], 'application/zip');
  const parts = [...content].flatMap(({ path, content: file }): FormPart[] => [
    { name: 'paths', filename: null, content: path },
    { name: 'files', filename: path.split('/').at(-1) ?? path, content: file },
  ]);
  return formOf(parts);
}
