import { addressOf, type ItemRef } from './address.ts';
import { textOf } from './answers.ts';
import { PerchError } from './errors.ts';
import type { Condition } from './json-documents.ts';
import { type CreateOptions, callOf, Kind } from './kind.ts';
import { memberText } from './member-text.ts';
import type { Answer } from './operation.ts';
import type { CallOptions } from './transport.ts';
import { bodyOf, randomKey } from './upload-body.ts';
import { type LiveValue, type WatchOptions, watchKey } from './watch-key.ts';

/** A key's value with what belongs to it. */
export type Entry<T = unknown> = Omit<Answer<'get', '/api/kv/{ns}/{id}/{key}'>, 'value'> & {
  value: T;
  /** The value as JSON text, with digits that a number of JavaScript would lose. */
  valueText: string;
  etag: string;
};

/** `idempotencyKey` makes a repetition of the whole call harmless; each call has a new one unless said. */
export type ChangeOptions = CallOptions & Condition & { idempotencyKey?: string | undefined };

/** Key-value stores. */
export class Stores extends Kind<'/api/kv'> {
  /** A store comes into being with its first key. */
  async create(
    key: string,
    value: unknown,
    options: CreateOptions<'/api/kv'> = {},
  ): Promise<Answer<'post', '/api/kv'>> {
    return this.createText(key, JSON.stringify(value), options);
  }

  /** `create` with a JSON text as it is, with digits that a number of JavaScript would lose. */
  async createText(
    key: string,
    json: string,
    options: CreateOptions<'/api/kv'> = {},
  ): Promise<Answer<'post', '/api/kv'>> {
    return this.send(bodyOf([`{"key":${JSON.stringify(key)},"value":${json}}`], 'application/json'), options);
  }

  /** The keys of a store. */
  async read(item: ItemRef, options: CallOptions = {}): Promise<Answer<'get', '/api/kv/{ns}/{id}'>> {
    return this.transport.json({ method: 'get', address: this.addressOf(item), ...callOf(item, options) });
  }

  async get<T = unknown>(item: ItemRef, key: string, options: CallOptions = {}): Promise<Entry<T>> {
    const address = keyAddress(item, key);
    const { bytes, headers } = await this.transport.send({
      method: 'get',
      address,
      ...callOf(item, options),
    });
    const text = textOf(bytes);
    const entry = JSON.parse(text) as Omit<Entry<T>, 'etag' | 'valueText'>;
    return { ...entry, valueText: memberText(text, 'value'), etag: headers.get('ETag') ?? '' } as Entry<T>;
  }

  /** Writes a key; with `isNew` only one that is not there yet. */
  async set(
    item: ItemRef,
    key: string,
    value: unknown,
    options: CallOptions & Condition & { isNew?: boolean } = {},
  ): Promise<Answer<'put', '/api/kv/{ns}/{id}/{key}'>> {
    return this.setText(item, key, JSON.stringify(value), options);
  }

  /** Adds to a whole number, 1 unless said; one that is not there begins at 0. Repeated, it counts once. */
  async increment(
    item: ItemRef,
    key: string,
    by = 1,
    options: ChangeOptions = {},
  ): Promise<Answer<'post', '/api/kv/{ns}/{id}/{key}/increment'>> {
    return this.transport.json(changeOf(item, key, 'increment', JSON.stringify({ by }), options));
  }

  /** Adds a text to a text, or any value to the end of a list; a key that is not there becomes a list. Repeated, once. */
  async append(
    item: ItemRef,
    key: string,
    value: unknown,
    options: ChangeOptions = {},
  ): Promise<Answer<'post', '/api/kv/{ns}/{id}/{key}/append'>> {
    return this.appendText(item, key, JSON.stringify(value), options);
  }

  /** `append` with a JSON text as it is. */
  async appendText(
    item: ItemRef,
    key: string,
    json: string,
    options: ChangeOptions = {},
  ): Promise<Answer<'post', '/api/kv/{ns}/{id}/{key}/append'>> {
    return this.transport.json(changeOf(item, key, 'append', `{"value":${json}}`, options));
  }

  async removeKey(item: ItemRef, key: string, options: CallOptions & Condition = {}): Promise<void> {
    await this.transport.remove({
      address: keyAddress(item, key),
      headers: { 'If-Match': options.ifMatch },
      ...callOf(item, options),
    });
  }

  /** The value alone, byte for byte: JSON, or of a string its text; counts as a view. */
  async getText(item: ItemRef, key: string, options: CallOptions = {}): Promise<string> {
    const address = addressOf('/{ns}/{id}/{key}', { ns: item.namespace, id: item.id, key });
    try {
      return textOf((await this.transport.send({ method: 'get', address, ...callOf(item, options) })).bytes);
    } catch (error) {
      // A host for uploads asks for the password again, and gets none. The API has the value as well.
      if (!(error instanceof PerchError && error.code === 'PASSWORD_REQUIRED')) throw error;
      const { value, valueText } = await this.get(item, key, options);
      return typeof value === 'string' ? value : valueText;
    }
  }

  /** `set` with a JSON text as it is. */
  async setText(
    item: ItemRef,
    key: string,
    json: string,
    options: CallOptions & Condition & { isNew?: boolean } = {},
  ): Promise<Answer<'put', '/api/kv/{ns}/{id}/{key}'>> {
    const headers = { 'If-Match': options.ifMatch, 'If-None-Match': options.isNew ? '*' : undefined };
    const body = bodyOf([`{"value":${json}}`], 'application/json');
    const address = keyAddress(item, key);
    return this.transport.json({ method: 'put', address, headers, body, ...callOf(item, options) });
  }

  /** The value now, then each new one, until the signal is given or the key is gone. */
  watch<T = unknown>(
    item: ItemRef,
    key: string,
    options: WatchOptions = {},
  ): AsyncGenerator<LiveValue<T>, void> {
    return watchKey<T>(this.transport, { address: keyAddress(item, key), ...callOf(item, options) }, options);
  }
}

/** A change is sent again under its idempotency key. */
function changeOf(
  item: ItemRef,
  key: string,
  what: 'increment' | 'append',
  change: string,
  { ifMatch, idempotencyKey = randomKey(), ...options }: ChangeOptions,
) {
  return {
    method: 'post',
    address: `${keyAddress(item, key)}/${what}`,
    headers: { 'Idempotency-Key': idempotencyKey, 'If-Match': ifMatch },
    body: bodyOf([change], 'application/json'),
    mayRepeat: true,
    ...callOf(item, options),
  } as const;
}

const keyAddress = (item: ItemRef, key: string): string =>
  addressOf('/api/kv/{ns}/{id}/{key}', { ns: item.namespace, id: item.id, key });
