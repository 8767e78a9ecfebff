import type { Client } from './client.ts';

/** Headers of a browser that asks for a page. */
export const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** Sends a form of the console, as the page with it would. */
export async function sendForm(
  client: Client,
  path: string,
  fields: Record<string, string> | Array<[string, string]>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const own = { Origin: new URL(client.url).origin, 'Sec-Fetch-Site': 'same-origin' };
  const body = new URLSearchParams(fields).toString();
  return await client.request(path, {
    method: 'POST',
    body,
    headers: { ...BROWSER, ...FORM, ...own, ...headers },
  });
}

/** A browser with the cookie of a sign-in. */
export interface SignedIn {
  /** Of the Cookie header. */
  cookie: string;
  /** Values of Set-Cookie. */
  setCookies: string[];
}

/** Signs in with the right password. */
export async function signIn(
  client: Client,
  password: string,
  headers: Record<string, string> = {},
): Promise<SignedIn> {
  const response = await sendForm(client, '/admin/sign-in', { password, to: '/admin' }, headers);
  const setCookies = response.headers.getSetCookie();
  if (response.status !== 303)
    throw new Error(`the sign-in got ${response.status}: ${await response.text()}`);
  return { cookie: setCookies[0]?.split(';')[0] ?? '', setCookies };
}

/** The page of the console behind an address, for whoever has the cookie. */
export const openPage = (client: Client, path: string, { cookie }: SignedIn): Promise<Response> =>
  client.request(path, { headers: { ...BROWSER, Cookie: cookie } });

/** The hidden field that every form of a page has. */
export async function markOn(client: Client, signedIn: SignedIn): Promise<string> {
  const text = await (await openPage(client, '/admin', signedIn)).text();
  return /name="mark" value="([^"]+)"/.exec(text)?.[1] ?? '';
}

/** Sends a form with the cookie and the mark of a page. */
export async function act(
  client: Client,
  signedIn: SignedIn,
  path: string,
  fields: Record<string, string>,
  also: string[] = [],
): Promise<Response> {
  const all: Array<[string, string]> = [
    ...Object.entries({ mark: await markOn(client, signedIn), ...fields }),
    ...also.map((value): [string, string] => ['also', value]),
  ];
  return await sendForm(client, path, all, { Cookie: signedIn.cookie });
}

/** Headers that browsers send for pages of other origins, and for those without one. */
export const FOREIGN: Array<Record<string, string>> = [
  { Origin: 'null' },
  { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' },
  { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
  { Origin: 'https://elsewhere.example' },
  { Origin: 'no address' },
  { Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
];
