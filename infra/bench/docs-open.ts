import { chromium, type Page } from 'playwright-core';
import { commandPath, ensureCommands } from '../servers/debian.ts';
import { atMost, type Bench, type Findings, milliseconds } from './measurement.ts';
import { startEmbedded } from './perch.ts';
import { median } from './statistics.ts';

/** Operations that are opened, spread over the whole document. */
const OPENED = 20;
/** How long the page has between two of them, in ms. */
const PAUSE_MS = 300;

/**
 * How long the page at `/docs` takes from the click on an operation until its parameters and answers are drawn; as the
 * reference, the second opening of that operation, whose references Swagger UI has resolved and which it only draws.
 */
export async function docsOpen(bench: Bench): Promise<Findings> {
  await ensureCommands(['chromium']);
  const perch = await startEmbedded(bench, 'embedded', { LIMIT_READS_PER_MINUTE: '0' });
  const browser = await chromium.launch({ executablePath: commandPath('chromium'), args: ['--no-sandbox'] });
  bench.defer(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
  await page.goto(`${perch.url}/docs`);
  await page.waitForSelector('.opblock');
  const ids = await page.$$eval('.opblock', (blocks) => blocks.map(({ id }) => id));
  const step = ids.length / OPENED;
  const first: number[] = [];
  const again: number[] = [];
  for (let n = 0; n < OPENED; n++) {
    const id = ids[Math.floor(n * step)] ?? '';
    first.push(await timeToOpen(page, id));
    await page.click(`[id="${id}"] .opblock-summary-control`);
    again.push(await timeToOpen(page, id));
    await page.click(`[id="${id}"] .opblock-summary-control`);
  }
  return {
    table: [
      ['', 'median', 'worst', 'times'],
      ['opened', milliseconds(median(first)), milliseconds(Math.max(...first)), `${first.length}`],
      ['opened again', milliseconds(median(again)), milliseconds(Math.max(...again)), `${again.length}`],
    ],
    notes: [
      `${ids.length} operations; the clock of the page, from the click to the second frame after the answers stand there.`,
    ],
    verdicts: [
      atMost('an operation opened, median', median(first), 300, milliseconds),
      atMost('an operation opened, worst', Math.max(...first), 300, milliseconds),
    ],
  };
}

/** In ms. The block is asked for by its id each time, as opening it makes its element anew. */
async function timeToOpen(page: Page, id: string): Promise<number> {
  await page.locator(`[id="${id}"]`).scrollIntoViewIfNeeded();
  await page.waitForTimeout(PAUSE_MS);
  return (await page.evaluate(`(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    const block = () => document.getElementById(${JSON.stringify(id)});
    const from = performance.now();
    block().querySelector('.opblock-summary-control').click();
    while (block().querySelector('.opblock-body .responses-wrapper') === null) await frame();
    await frame();
    await frame();
    return performance.now() - from;
  })()`)) as number;
}
