import { expect, test } from 'bun:test';
import { atDepth } from '../depth.ts';
import { sharedInstance } from '../shared-instance.ts';
import { useStarted } from '../started.ts';
import { inPage, useBrowser } from './browser.ts';
import { publish } from './publish.ts';

const visit = useBrowser();
const perch = useStarted(() => sharedInstance('embedded'));

/** Runs wherever script does: asks for an address that the test looks for. */
const BEACON = "new Image().src='/public/script-ran'";

/** Opens addresses one after another and returns which of them ran a script. */
async function runningScripts(paths: string[]): Promise<string[]> {
  const { context, page, complaints } = await visit();
  const asked: string[] = [];
  let current = '';
  context.on('request', (request) => {
    if (request.url().includes('script-ran')) asked.push(current);
  });
  for (const path of paths) {
    current = path;
    await page.goto(perch.url + path, { waitUntil: 'load' });
    await inPage(page, TOUCH_EVERYTHING);
    // Time for what that started; a page without scripts has no timers to wait with.
    await page.waitForTimeout(50);
  }
  return [...asked, ...complaints.filter((text) => text.startsWith('dialog'))];
}

/** Script that does what a person might do to a page. */
const TOUCH_EVERYTHING = `for (const element of document.querySelectorAll('body *'))
  for (const event of ['click', 'mouseover', 'focus', 'toggle', 'animationstart', 'error'])
    element.dispatchEvent(new Event(event, { bubbles: true, cancelable: true }))`;

test('the beacon of these tests works: a hosted HTML page may run its script', async () => {
  const page = await publish(perch.url, `<!doctype html><script>${BEACON}</script><p>Hello`);
  const harmless = await publish(perch.url, '<!doctype html><p>Hello');
  expect(await runningScripts([page.path, harmless.path])).toEqual([page.path]);
});

const XML_DOCUMENTS = {
  svg: `<svg xmlns="http://www.w3.org/2000/svg" onload="${BEACON}"><script>${BEACON}</script><circle r="9"/></svg>`,
  xhtml: `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title><script>${BEACON}</script></head><body onload="${BEACON}"><img src="x" onerror="${BEACON}" /></body></html>`,
  stylesheet: `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="data:text/xsl,%3Cxsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'%3E%3Cxsl:template match='/'%3E%3Cscript xmlns='http://www.w3.org/1999/xhtml'%3Enew Image().src='/public/script-ran'%3C/script%3E%3C/xsl:template%3E%3C/xsl:stylesheet%3E"?><a/>`,
};

test('XML and SVG are shown without their scripts', async () => {
  const paths: string[] = [];
  for (const content of Object.values(XML_DOCUMENTS)) {
    for (const type of ['application/xml', 'text/xml']) {
      const { path } = await publish(perch.url, content, { type });
      paths.push(`${path}?raw=true`, path);
    }
  }
  expect(await runningScripts(paths)).toEqual([]);
});

test('text stays text, whatever it looks like', async () => {
  const html = `<!doctype html><html><body><script>${BEACON}</script><img src=x onerror="${BEACON}"></body></html>`;
  const { page } = await visit();
  const paths: string[] = [];
  for (const type of ['text/plain', 'text/csv', 'text/css', 'text/javascript']) {
    const { path } = await publish(perch.url, html, { type, query: { format: 'text' } });
    paths.push(path);
    // Browsers save CSV instead of showing it.
    if (type !== 'text/csv') paths.push(`${path}?raw=true`);
    await page.goto(perch.url + path);
    expect(await page.textContent('body')).toContain('onerror=');
  }
  expect(await runningScripts(paths)).toEqual([]);
});

const VECTORS = [
  `<script>${BEACON}</script>`,
  `<img src=x onerror="${BEACON}">`,
  `<svg onload="${BEACON}"><script>${BEACON}</script></svg>`,
  `<svg><animate onbegin="${BEACON}" attributeName=x dur=1s></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${BEACON}"></style></mglyph></table></mtext></math>`,
  `<iframe srcdoc="<script>${BEACON}</script>"></iframe>`,
  `<iframe src="javascript:${BEACON}"></iframe>`,
  `<object data="javascript:${BEACON}"></object><embed src="javascript:${BEACON}">`,
  `<details open ontoggle="${BEACON}"><summary>x</summary></details>`,
  `<video><source onerror="${BEACON}"></video><audio src=x onerror="${BEACON}"></audio>`,
  `<body onload="${BEACON}">`,
  `<style>@keyframes x{}</style><p style="animation-name:x" onanimationstart="${BEACON}">x</p>`,
  `<meta http-equiv="refresh" content="0;url=/public/script-ran">`,
  `<base href="/public/script-ran/">`,
  `<form action="/public/script-ran"><button formaction="javascript:${BEACON}">x</button></form>`,
  `<input autofocus onfocus="${BEACON}">`,
  `<link rel="stylesheet" href="/public/script-ran"><link rel=import href="/public/script-ran">`,
  `<template><script>${BEACON}</script></template><noscript><p title="</noscript><script>${BEACON}</script>">`,
  `[link](javascript:${BEACON})`,
  `[link](JaVaScRiPt&colon;${BEACON})`,
  `[link](<java\tscript:${BEACON}>)`,
  `[link](data:text/html;base64,${btoa(`<script>${BEACON}</script>`)})`,
  `[link](vbscript:x)`,
  `![x](x"onerror="${BEACON})`,
  `![x](javascript:${BEACON})`,
  `<a href="&#106;avascript:${BEACON}">x</a>`,
  `<a href="https://example.com" onclick="${BEACON}">x</a>`,
  `<javascript:${BEACON}>`,
  `[ref]: javascript:${BEACON}\n\n[ref]`,
  `\`\`\`<script>${BEACON}</script>\ncode\n\`\`\``,
  `\`\`\`html"><script>${BEACON}</script>\ncode\n\`\`\``,
  `# heading <img src=x onerror="${BEACON}">`,
  `Note[^1].\n\n[^1]: <img src=x onerror="${BEACON}">`,
  `| a |\n|---|\n| <img src=x onerror="${BEACON}"> |`,
];

test('no vector of script injection survives in markdown', async () => {
  const ran: string[] = [];
  for (const showTopBar of ['false', 'true']) {
    const { path } = await publish(perch.url, VECTORS.join('\n\n'), {
      type: 'text/markdown',
      query: { showTopBar, title: `</title><script>${BEACON}</script>` },
    });
    ran.push(...(await runningScripts([path])));
    const { page } = await visit();
    await page.goto(perch.url + path);
    const hrefs = await inPage<string[]>(
      page,
      "[...document.querySelectorAll('[href],[src],[action],[formaction],[srcdoc]')].flatMap((e) => e.getAttributeNames().filter((n) => /^(href|src|action|formaction|srcdoc)$/.test(n)).map((n) => e.getAttribute(n)))",
    );
    expect(hrefs.filter((href) => /^\s*(java|vb)script:|^data:text/i.test(href))).toEqual([]);
    const attributes = await inPage<string[]>(
      page,
      "[...document.querySelectorAll('*')].flatMap((e) => e.getAttributeNames()).filter((n) => n.startsWith('on'))",
    );
    expect(attributes).toEqual([]);
  }
  expect(ran).toEqual([]);
});

test('one vector at a time, so that none hides another', async () => {
  const vectors = VECTORS.filter((_, n) => atDepth(true, n % 3 === 0));
  const pages = await Promise.all(
    vectors.map(async (vector) => {
      const { path } = await publish(perch.url, vector, { type: 'text/markdown' });
      return { vector, path };
    }),
  );
  const ran = await runningScripts(pages.map(({ path }) => path));
  expect(pages.filter(({ path }) => ran.includes(path)).map(({ vector }) => vector)).toEqual([]);
  expect(ran).toEqual([]);
});
