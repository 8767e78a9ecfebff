import { expect, test } from 'bun:test';
import { sharedInstance } from '../shared-instance.ts';
import { useStarted } from '../started.ts';
import { useBrowser } from './browser.ts';
import { answerDialog, loseNextAnswer, openEditor, said, write } from './edit-page.ts';
import { publish } from './publish.ts';
import { createStore } from './uploads.ts';

const visit = useBrowser();
const perch = useStarted(() => sharedInstance());

const AGENT = { 'User-Agent': 'PerchTests/1' };

test('a text whose answer was lost is saved by the next try, also when more was written meanwhile', async () => {
  const item = await publish(perch.url, '# One', { type: 'text/markdown' });
  const { page } = await openEditor(visit, item);
  const save = async (text: string): Promise<void> => {
    await write(page, text);
    await page.click('#edit-save');
  };
  const saveForNothing = async (text: string): Promise<void> => {
    await loseNextAnswer(page);
    await save(text);
    await page.waitForSelector('#edit-fault:has-text("cannot be reached")');
  };
  const expectSaved = async (text: string): Promise<void> => {
    await said(page, 'Saved at');
    expect(await page.locator('#conflict-dialog').isVisible()).toBe(false);
    const stored = await fetch(`${perch.url}/api/html${item.path}?raw=true`, { headers: AGENT });
    expect(await stored.text()).toBe(text);
  };
  for (const [lost, next] of [
    ['# Two', '# Two'],
    ['# Three', '# Four'],
  ] as const) {
    await saveForNothing(lost);
    await save(next);
    await expectSaved(next);
  }
  // Taken back, it is as this page has read it, but not as it is stored.
  await saveForNothing('# Five');
  await save('# Four');
  await expectSaved('# Four');
});

test('a value whose answer was lost is saved by the next try, also when another one was written meanwhile', async () => {
  const store = await createStore(perch.url, { one: 1 });
  const { page } = await visit();
  await page.goto(`${perch.url}/edit${store.path}#k=${store.ownerToken}`);
  await page.click('.pair-row summary');
  const save = async (text: string): Promise<void> => {
    await page.fill('.pair-row textarea', text);
    await page.click('.pair-row button:not([data-action])');
  };
  for (const [next, stored] of [
    ['{ "a b": 1.50 }', '{"a b":1.50}'],
    ['{ "a b": 2.50 }', '{"a b":2.50}'],
  ] as const) {
    await loseNextAnswer(page);
    await save('{ "a b": 1.50 }');
    await page.waitForSelector('#pairs-fault:has-text("cannot be reached")');
    await save(next);
    await page.waitForSelector('#pairs-said:has-text("is saved")');
    expect(await page.locator('.pair-theirs').isVisible()).toBe(false);
    const answer = await fetch(`${perch.url}/api/kv${store.path}/one`, { headers: AGENT });
    expect(await answer.text()).toContain(`"value":${stored},`);
  }
  const remove = async (): Promise<void> => {
    await page.click('.pair-row [data-action=remove]');
    await answerDialog(page, 'remove-key', 'ok');
  };
  await loseNextAnswer(page);
  await remove();
  await page.waitForSelector('#pairs-fault:has-text("cannot be reached")');
  await remove();
  await page.waitForSelector('#pairs-said:has-text("was deleted already")');
});

test('a key that is there when it is added is put into the list, and called saved when its value is the one sent', async () => {
  const store = await createStore(perch.url, { one: 1 });
  const { page } = await visit();
  await page.goto(`${perch.url}/edit${store.path}#k=${store.ownerToken}`);
  const add = async (key: string, value: string): Promise<void> => {
    await page.fill('#new-key', key);
    await page.fill('#new-value', value);
    await page.click('#pair-new button');
  };
  const keys = (): Promise<string[]> => page.locator('.pair-key').allTextContents();
  await loseNextAnswer(page);
  await add('mine', 'x');
  await page.waitForSelector('#pairs-fault:has-text("cannot be reached")');
  await add('mine', 'x');
  await page.waitForSelector('#pairs-said:has-text("The key mine is saved")');
  expect(await keys()).toEqual(['one', 'mine']);

  await fetch(`${perch.url}/api/kv${store.path}/theirs`, {
    method: 'PUT',
    headers: { ...AGENT, 'X-Owner-Token': store.ownerToken },
    body: '{"value":"theirs"}',
  });
  for (const key of ['theirs', 'mine', 'theirs']) {
    await add(key, 'other');
    await page.waitForSelector(`#pairs-fault:has-text("The key ${key} is there already")`);
    expect(await keys()).toEqual(['one', 'mine', 'theirs']);
  }
  expect(await page.textContent('#pair-count')).toBe('3 keys');
  await page.click('.pair-row:nth-child(3) summary');
  await page.waitForSelector('.pair-row:nth-child(3) form:not([hidden])');
  expect(await page.inputValue('.pair-row:nth-child(3) textarea')).toBe('theirs');
});
