import { addressOf, type ItemRef } from './address.ts';
import type { Answer, PathOf, Query } from './operation.ts';
import type { CallOptions, Transport, UploadOptions } from './transport.ts';
import { randomKey, type UploadBody } from './upload-body.ts';

type KindPath = '/api/html' | '/api/json' | '/api/kv' | '/api/files' | '/api/sites';

/** The operations that all kinds have in common. */
export abstract class Kind<P extends KindPath & PathOf<'get'> & PathOf<'post'>> {
  protected readonly transport: Transport;
  protected readonly path: P;

  constructor(transport: Transport, path: P) {
    this.transport = transport;
    this.path = path;
  }

  /** The owner's items of this kind in one namespace, newest first. */
  async list(options?: Query<'get', P> & CallOptions): Promise<Answer<'get', P>> {
    const { signal, ownerToken, password, ...query } = (options ?? {}) as CallOptions;
    const address = addressOf(this.path, {}, query);
    return this.transport.json({ method: 'get', address, signal, ownerToken, password });
  }

  /** Removes an item for good. */
  async remove(item: ItemRef, options: CallOptions = {}): Promise<void> {
    await this.transport.remove({ address: this.addressOf(item), ...callOf(item, options) });
  }

  protected addressOf(item: ItemRef, rest = '', query: Record<string, unknown> = {}): string {
    return addressOf(`${this.path}/{ns}/{id}${rest}`, { ns: item.namespace, id: item.id }, query);
  }

  protected async send(body: UploadBody, options: CreateOptions<P>): Promise<Answer<'post', P>> {
    const { query, headers, call } = splitCreate(options);
    checkProtection(call.password);
    const address = addressOf(this.path, {}, query);
    return this.transport.json({ method: 'post', address, headers, body, mayRepeat: true, ...call });
  }
}

/** @throws TypeError for a password that would not arrive as it is: with an empty one everybody could read the item */
function checkProtection(password: string | undefined): void {
  if (password === undefined || (password !== '' && password === password.trim())) return;
  throw new TypeError('A password is not empty, and has no white space at its ends. Leave it out for none.');
}

/** The options of a call about an item, whose own token comes before that of the client. */
export function callOf(item: ItemRef, options: CallOptions & UploadOptions): CallOptions & UploadOptions {
  const { signal, password, onProgress } = options;
  return { signal, password, onProgress, ownerToken: options.ownerToken ?? item.ownerToken };
}

/** The options of a create besides its content: the operation's query, and the values that are sent as headers. */
export type CreateOptions<P extends PathOf<'post'>> = Query<'post', P> &
  CallOptions &
  UploadOptions & {
    /** Makes a repetition of this create harmless, also after a restart of this program; a random one when left out. */
    idempotencyKey?: string | undefined;
    /** Whether it is served below the service's host, or at a host of its own; the service decides when left out. */
    deliveryMode?: 'path' | 'subdomain' | undefined;
  };

/** The query, headers and call of a create. */
function splitCreate<P extends PathOf<'post'>>(options: CreateOptions<P>) {
  const { signal, ownerToken, password, onProgress, idempotencyKey, deliveryMode, ...query } = options;
  return {
    query,
    headers: { 'Idempotency-Key': idempotencyKey ?? randomKey(), 'X-Delivery-Mode': deliveryMode },
    call: { signal, ownerToken, password, onProgress },
  };
}
