import { addressOf, type ItemRef } from './address.ts';
import { PerchError } from './errors.ts';
import { Files } from './files.ts';
import { JsonDocuments } from './json-documents.ts';
import { callOf } from './kind.ts';
import type { Answer, JsonBody, PathOf, Query } from './operation.ts';
import { Pages } from './pages.ts';
import { Sites } from './sites.ts';
import { Stores } from './stores.ts';
import { type CallOptions, Transport, type TransportOptions } from './transport.ts';
import { bodyOf, IN_BROWSER } from './upload-body.ts';

/** One Perch, as it is seen by its users. */
export class Perch {
  readonly pages: Pages;
  readonly json: JsonDocuments;
  readonly kv: Stores;
  readonly files: Files;
  readonly sites: Sites;
  readonly #transport: Transport;

  /** @throws TypeError for a URL that does not begin with `http://` or `https://` */
  constructor(options: TransportOptions) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.pages = new Pages(transport, '/api/html');
    this.json = new JsonDocuments(transport, '/api/json');
    this.kv = new Stores(transport, '/api/kv');
    this.files = new Files(transport, '/api/files');
    this.sites = new Sites(transport, '/api/sites');
  }

  /** The server's address, without a slash at its end. */
  get url(): string {
    return this.#transport.origin;
  }

  /** The owner's items of every kind and namespace, newest first, page by page. */
  async items(
    options: Query<'get', '/api/owner/items'> & CallOptions = {},
  ): Promise<Answer<'get', '/api/owner/items'>> {
    return this.#get('/api/owner/items', options);
  }

  /** Lists the public items; `q` searches titles and tags. */
  async gallery(
    options: Query<'get', '/api/gallery'> & CallOptions = {},
  ): Promise<Answer<'get', '/api/gallery'>> {
    return this.#get('/api/gallery', options);
  }

  async stats(options: Query<'get', '/api/stats'> & CallOptions = {}): Promise<Answer<'get', '/api/stats'>> {
    return this.#get('/api/stats', options);
  }

  /** Every limit of the server, and where this client stands in each. */
  async limits(options: CallOptions = {}): Promise<Answer<'get', '/api/limits'>> {
    return this.#get('/api/limits', options);
  }

  /** A namespace that nobody uses at this moment. */
  async randomNamespace(options: CallOptions = {}): Promise<Answer<'get', '/api/namespace/random'>> {
    return this.#get('/api/namespace/random', options);
  }

  async suggestNamespaces(
    options: Query<'get', '/api/namespace/suggest'> & CallOptions,
  ): Promise<Answer<'get', '/api/namespace/suggest'>> {
    return this.#get('/api/namespace/suggest', options);
  }

  /** A new owner token, for creates to come. */
  async createOwnerToken(options: CallOptions = {}): Promise<Answer<'post', '/api/owner'>> {
    return this.#transport.json({ method: 'post', address: '/api/owner', mayRepeat: true, ...options });
  }

  /** The kind of an item, and whether the token is its owner's. */
  async checkOwner(
    item: ItemRef,
    options: CallOptions = {},
  ): Promise<Answer<'get', '/api/{ns}/{id}/owner-check'>> {
    const address = addressOf('/api/{ns}/{id}/owner-check', { ns: item.namespace, id: item.id });
    return this.#transport.json({ method: 'get', address, ...callOf(item, options) });
  }

  /** Restarts the lifetime of an item of any kind, from now. */
  async renew(
    item: ItemRef,
    options: Query<'post', '/api/{ns}/{id}/renew'> & CallOptions = {},
  ): Promise<Answer<'post', '/api/{ns}/{id}/renew'>> {
    const { signal, ownerToken, password, ...query } = options;
    const address = addressOf('/api/{ns}/{id}/renew', { ns: item.namespace, id: item.id }, query);
    return this.#transport.json({
      method: 'post',
      address,
      mayRepeat: true,
      ...callOf(item, { signal, ownerToken, password }),
    });
  }

  /** The custom domain of an item and its TXT record, without a DNS look-up. */
  async domain(item: ItemRef, options: CallOptions = {}): Promise<Answer<'get', '/api/{ns}/{id}/domain'>> {
    return this.#transport.json({ method: 'get', address: domainOf(item), ...callOf(item, options) });
  }

  /** Claims a domain for an item; of the domain that it has already, the record is looked for now. */
  async setDomain(
    item: ItemRef,
    domain: string,
    options: CallOptions = {},
  ): Promise<Answer<'put', '/api/{ns}/{id}/domain'>> {
    const claim: JsonBody<'put', '/api/{ns}/{id}/domain'> = { domain };
    const body = bodyOf([JSON.stringify(claim)], 'application/json');
    return this.#transport.json({ method: 'put', address: domainOf(item), body, ...callOf(item, options) });
  }

  /** Takes its domain away from an item, at once. */
  async removeDomain(item: ItemRef, options: CallOptions = {}): Promise<void> {
    await this.#transport.remove({ address: domainOf(item), ...callOf(item, options) });
  }

  /**
   * The address that a short code stands for; counts no view. In browsers, which show no redirect to a script: the address
   * that it leads to, on the item's own host where it has one.
   */
  async resolveCode(code: string, options: CallOptions = {}): Promise<string> {
    const address = addressOf('/s/{code}', { code });
    if (!IN_BROWSER) {
      const { headers, url } = await this.#transport.send({
        method: 'head',
        address,
        redirect: 'manual',
        expected: [302],
        ...options,
      });
      return new URL(headers.get('Location') ?? url, this.url).href;
    }
    try {
      return (await this.#transport.send({ method: 'head', address, ...options })).url;
    } catch (error) {
      // The address answers, but not without its password.
      if (error instanceof PerchError && error.status === 403) return error.url;
      throw error;
    }
  }

  /** Tells the operator of something that should not be here. */
  async report(
    report: JsonBody<'post', '/api/reports'>,
    options: CallOptions = {},
  ): Promise<Answer<'post', '/api/reports'>> {
    const body = bodyOf([JSON.stringify(report)], 'application/json');
    return this.#transport.json({ method: 'post', address: '/api/reports', body, ...options });
  }

  async #get<P extends PathOf<'get'>>(path: P, options: CallOptions): Promise<Answer<'get', P>> {
    const { signal, ownerToken, password, ...query } = options;
    const address = addressOf(path, {}, query);
    return this.#transport.json({ method: 'get', address, signal, ownerToken, password });
  }
}

const domainOf = ({ namespace, id }: ItemRef): string =>
  addressOf('/api/{ns}/{id}/domain', { ns: namespace, id });
