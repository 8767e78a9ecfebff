import { expect } from 'bun:test';
import { type Address, type Client, raw, shortPath } from './client.ts';
import { NAVIGATION } from './file-client.ts';

/** As a browser asks for what a page or a player loads: no cookie goes along from a sandbox. */
export const embedded = (destination: 'style' | 'script' | 'image' | 'video' | 'font') => ({
  Accept: '*/*',
  'Sec-Fetch-Dest': destination,
  'Sec-Fetch-Mode': 'no-cors',
  'Sec-Fetch-Site': 'cross-site',
});

/** Acts as a person with the password: opens the address, submits the form, and returns the cookie. */
export async function unlock(client: Client, item: Address, password: string): Promise<string> {
  const asked = await client.read(item, { headers: NAVIGATION });
  expect(asked.status).toBe(403);
  const action = /<form[^>]* action="([^"]+)"/.exec(await asked.text())?.[1] ?? '';
  const body = new URLSearchParams({ password }).toString();
  const opened = await client.request(action, {
    method: 'POST',
    ...raw(body, 'application/x-www-form-urlencoded'),
  });
  expect([opened.status, opened.headers.get('Location')]).toEqual([303, shortPath(item)]);
  return (opened.headers.get('Set-Cookie') ?? '').split(';', 1)[0] ?? '';
}
