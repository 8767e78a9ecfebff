import { afterAll, beforeAll } from 'bun:test';
import { type Instance, type InstanceOptions, startInstance } from '../../instance.ts';
import { SELDOM_SWEPT, sharedInstance } from '../../shared-instance.ts';
import { type Client, createClient } from './client.ts';

/** Long enough to install a server's Debian package first. */
const START_LIMIT_MS = 300_000;

export interface Perch extends Client {
  readonly instance: Instance;
  /** Speaks to the last gateway: the second one where there are two, the only one in embedded mode. */
  readonly last: Client;
  /** One for each gateway. */
  readonly clients: Client[];
}

/**
 * A Perch for the tests of a file or of a `describe`, and for nobody else: started before the first of them, stopped
 * after the last. For tests of settings, of single processes, of all there is, and of what outlasts a request. In
 * distributed mode its services share processes unless `joined` is false.
 */
export function usePerch(options: InstanceOptions = {}): Perch {
  let running: Instance | null = null;
  beforeAll(async () => {
    running = await startInstance({ joined: true, ...options, env: { ...SELDOM_SWEPT, ...options.env } });
  }, START_LIMIT_MS);
  afterAll(async () => {
    await running?.stop();
    running = null;
  }, START_LIMIT_MS);
  return perchOf(() => running);
}

/**
 * The Perch that all files share which call this: two gateways in distributed mode, and items of other files. Namespaces
 * and ids that must be unused have to differ from theirs; `fresh` makes such.
 */
export function sharePerch(): Perch {
  let running: Instance | null = null;
  beforeAll(async () => {
    running = await sharedInstance();
  }, START_LIMIT_MS);
  return perchOf(() => running);
}

function perchOf(running: () => Instance | null): Perch {
  const instance = (): Instance => {
    const started = running();
    if (started === null) throw new Error('Perch runs only while tests do');
    return started;
  };
  const first = createClient(() => instance().url);
  const clientOf = (url: string): Client => createClient(() => url);
  const { request, post, publish, read, api } = first;
  return {
    request,
    post,
    publish,
    read,
    api,
    get url() {
      return first.url;
    },
    get instance() {
      return instance();
    },
    get last() {
      return clientOf(instance().gateways.at(-1) ?? '');
    },
    get clients() {
      return instance().gateways.map(clientOf);
    },
  };
}
