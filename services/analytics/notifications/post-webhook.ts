import { createHmac } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { WebhookSettings } from '../../../shared/config/announcements.ts';

/** Longest that a receiver may take, in ms, from the look-up of its name to the end of its answer. */
export const ANSWER_LIMIT_MS = 8_000;

/** Bytes of an answer that are read; its status alone counts. */
const ANSWER_BYTES = 16_384;

/** The signature of Standard Webhooks (standardwebhooks.com), version 1. @param at in seconds since the epoch */
export function signWebhook(secret: string, id: string, at: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`;
}

/**
 * Posts a message, signed with the time of this attempt, under the id of all attempts.
 * @throws Error that says why it was not taken: by another status than 2xx, a redirect among them, or by none in time
 */
export async function postWebhook(
  { url, secret, allowPrivate }: WebhookSettings,
  { id, payload }: { id: string; payload: string },
  { now, resolve, limitMs = ANSWER_LIMIT_MS }: { now: number; resolve: Resolve; limitMs?: number },
): Promise<void> {
  const signal = AbortSignal.timeout(limitMs);
  const target = new URL(url);
  const { hostname, host } = target;
  const address = await inTime(publicAddressOf(hostname, { allowPrivate, resolve }), signal);
  const at = Math.floor(now / 1_000);
  const pinned = new URL(target);
  pinned.hostname = address.includes(':') ? `[${address}]` : address;
  const response = await fetch(pinned, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Perch/1.0',
      Host: host,
      'webhook-id': id,
      'webhook-timestamp': String(at),
      'webhook-signature': signWebhook(secret, id, at, payload),
    },
    body: payload,
    redirect: 'manual',
    keepalive: false,
    // Otherwise Bun asks the proxy of HTTP_PROXY or HTTPS_PROXY to connect. Its types do not know that `false` means none.
    proxy: false as never,
    signal,
    // The certificate must be that of the name, not of the address.
    ...(isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { tls: { serverName: hostname } } : {}),
  });
  await readSome(response).catch((error: unknown) => {
    // The message has arrived, whatever becomes of the answer.
    if (!response.ok || signal.aborted) throw error;
  });
  if (!response.ok) throw new Error(`the receiver answered ${response.status}`);
}

/** Reads an answer up to a bound, so that its connection ends well; the rest is thrown away. */
async function readSome({ body }: Response): Promise<void> {
  if (body === null) return;
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES) break;
  }
}

async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return await Promise.race([
    work,
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('the name was not resolved in time')), {
        once: true,
      });
    }),
  ]);
}

/** Looks up all addresses of a name. */
type Resolve = (host: string) => Promise<string[]>;

export const resolveHost: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** Public by its number, and within Azure the machine's own agent. */
const NOT_PUBLIC = new Set(['168.63.129.16']);

/** Whether an address is one of the public internet: neither private, loopback, link-local, CGNAT nor of another special use. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && !NOT_PUBLIC.has(parsed.toString());
}

/**
 * The address that a host is to be reached at. All of its addresses must be public, or whoever controls the name could lead
 * the server into its own network. The caller connects to this very address: another look-up could have another answer.
 * @throws Error when it has none, or one that is not public
 */
export async function publicAddressOf(
  hostname: string,
  { allowPrivate, resolve }: { allowPrivate: boolean; resolve: Resolve },
): Promise<string> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  const refused = addresses.find((address) => !isPublicAddress(address));
  if (refused !== undefined && !allowPrivate) {
    const found = refused === host ? host : `${hostname} has the address ${refused}, which`;
    throw new Error(`${found} is not public: WEBHOOK_ALLOW_PRIVATE=true allows it`);
  }
  const [first] = addresses;
  if (first === undefined) throw new Error(`${hostname} has no address`);
  return first;
}
