import type { ItemRef } from './address.ts';
import { type CreateOptions, callOf, Kind } from './kind.ts';
import type { Answer } from './operation.ts';
import type { CallOptions } from './transport.ts';
import { formOf, type UploadSource } from './upload-body.ts';

/** Pictures, sound, video, PDF, text, archives, fonts. A file cannot be changed, only removed and created again. */
export class Files extends Kind<'/api/files'> {
  /** Uploads a file. Its extension has to fit its content; a `File` brings its name along. */
  async create(
    content: UploadSource,
    options: CreateOptions<'/api/files'> = {},
  ): Promise<Answer<'post', '/api/files'>> {
    const filename =
      options.filename ?? (content instanceof Blob && 'name' in content ? content.name : undefined);
    if (typeof filename !== 'string') throw new TypeError('A file needs a "filename".');
    return this.send(formOf([{ name: 'file', filename, content }]), options);
  }

  /** The file, to be read as a stream, a Blob or bytes. */
  async read(item: ItemRef, options: CallOptions = {}): Promise<Response> {
    return this.transport.stream({ method: 'get', address: this.addressOf(item), ...callOf(item, options) });
  }

  /** Where a file is served, for the owner only. */
  async hosting(
    item: ItemRef,
    options: CallOptions = {},
  ): Promise<Answer<'get', '/api/files/{ns}/{id}/hosting'>> {
    const address = this.addressOf(item, '/hosting');
    return this.transport.json({ method: 'get', address, ...callOf(item, options) });
  }
}
