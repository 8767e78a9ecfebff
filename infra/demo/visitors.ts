import type { Random } from '../random.ts';

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
];

const PROGRAMS = ['curl/8.14.1', 'python-requests/2.32.5', 'Go-http-client/2.0', 'LarkspurDesktop/4.2'];

const CRAWLERS = ['ExampleSearchBot/2.1 (+https://search.example/bot)', 'LinkPreview/1.0'];

const REFERERS = ['https://search.example/results?q=perch', 'https://chat.example/room/42'];

/** Headers of somebody who opens an address in a browser. */
export const browser = (random: Random): Record<string, string> => ({
  'User-Agent': random.pick(BROWSERS),
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Sec-Fetch-Dest': 'document',
  'Sec-Fetch-Mode': 'navigate',
  ...(random.chance(0.3) ? { Referer: random.pick(REFERERS) } : {}),
});

export const program = (random: Random): Record<string, string> => ({ 'User-Agent': random.pick(PROGRAMS) });

/** People mostly, then programs, then crawlers. */
export function visitor(random: Random): Record<string, string> {
  const share = random.next();
  if (share < 0.7) return browser(random);
  return share < 0.92 ? program(random) : { 'User-Agent': random.pick(CRAWLERS) };
}
