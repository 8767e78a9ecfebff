import type { ItemRef } from './address.ts';
import { textOf } from './answers.ts';
import { type CreateOptions, callOf, Kind } from './kind.ts';
import type { Answer } from './operation.ts';
import type { CallOptions } from './transport.ts';
import { bodyOf } from './upload-body.ts';

/** A value, and the version of it that a condition can name. */
export interface Versioned<T> {
  value: T;
  /** Byte for byte what was written; `value` has only the digits of a number that JavaScript can hold. */
  text: string;
  etag: string;
}

/** A change happens only to the version that it was made for, else it is refused with 412. */
export interface Condition {
  /** The `etag` of what was read. */
  ifMatch?: string | undefined;
}

/** JSON documents, kept byte for byte. */
export class JsonDocuments extends Kind<'/api/json'> {
  async create(
    value: unknown,
    options: CreateOptions<'/api/json'> = {},
  ): Promise<Answer<'post', '/api/json'>> {
    return this.createText(JSON.stringify(value), options);
  }

  /** Makes a document of a JSON text as it is, spaces and digits included. */
  async createText(
    text: string,
    options: CreateOptions<'/api/json'> = {},
  ): Promise<Answer<'post', '/api/json'>> {
    return this.send(bodyOf([text], 'application/json'), options);
  }

  async update(
    item: ItemRef,
    value: unknown,
    options: CallOptions & Condition = {},
  ): Promise<Answer<'put', '/api/json/{ns}/{id}'>> {
    return this.updateText(item, JSON.stringify(value), options);
  }

  async updateText(
    item: ItemRef,
    text: string,
    options: CallOptions & Condition = {},
  ): Promise<Answer<'put', '/api/json/{ns}/{id}'>> {
    return this.transport.json({
      method: 'put',
      address: this.addressOf(item),
      body: bodyOf([text], 'application/json'),
      headers: { 'If-Match': options.ifMatch },
      ...callOf(item, options),
    });
  }

  async read<T = unknown>(item: ItemRef, options: CallOptions = {}): Promise<Versioned<T>> {
    const address = this.addressOf(item);
    const { bytes, headers } = await this.transport.send({
      method: 'get',
      address,
      ...callOf(item, options),
    });
    const text = textOf(bytes);
    return { value: JSON.parse(text) as T, text, etag: headers.get('ETag') ?? '' };
  }
}
