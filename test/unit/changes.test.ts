import { expect, test } from 'bun:test';
import { createInProcessBus } from '../../shared/adapters/bus/in-process.ts';
import {
  createKeyChangePublisher,
  publishChange,
  subscribeToChanges,
} from '../../shared/contracts/changes.ts';
import { turns } from '../../shared/turns.ts';

const store = { namespace: 'public', id: 'a.b' };
const other = { namespace: 'public', id: 'a.c' };

/** Messages leave at the end of a turn, and are heard within the next ones. */
const settled = (): Promise<void> => turns(20);

/** A bus with what is heard of two stores on it, and the number of messages. */
async function listening() {
  const bus = createInProcessBus({ maxPayloadBytes: 1_000_000 });
  const heard: Array<[id: string, key: string | null]> = [];
  for (const item of [store, other]) await subscribeToChanges(bus, item, (key) => heard.push([item.id, key]));
  let messages = 0;
  const counted = {
    publish(subject: string, payload: Uint8Array): void {
      messages += 1;
      bus.publish(subject, payload);
    },
  };
  return { bus: counted, heard, messages: () => messages };
}

test('an item, one key, and several keys are told apart', async () => {
  const { bus, heard } = await listening();
  publishChange(bus, store);
  publishChange(bus, store, 'k');
  publishChange(bus, other, 'k 1', 'ключ', '~,"');
  await settled();
  expect(heard).toEqual([
    ['a.b', null],
    ['a.b', 'k'],
    ['a.c', 'k 1'],
    ['a.c', 'ключ'],
    ['a.c', '~,"'],
  ]);
});

test('keys that change in one turn are one message a store, each key once', async () => {
  const { bus, heard, messages } = await listening();
  const publishKeyChange = createKeyChangePublisher(bus);
  for (const key of ['a', 'b', 'a']) publishKeyChange(store, key);
  publishKeyChange(other, 'a');
  expect(messages()).toBe(0);
  await settled();
  expect(messages()).toBe(2);
  expect(heard).toEqual([
    ['a.b', 'a'],
    ['a.b', 'b'],
    ['a.c', 'a'],
  ]);
  publishKeyChange(store, 'a');
  await settled();
  expect(messages()).toBe(3);
  expect(heard.at(-1)).toEqual(['a.b', 'a']);
});

test('all keys of a full store fit into one message', async () => {
  const { bus, heard } = await listening();
  const publishKeyChange = createKeyChangePublisher(bus);
  const keys = Array.from({ length: 1_000 }, (_, n) => `${n}`.padStart(200, '0'));
  for (const key of keys) publishKeyChange(store, key);
  await settled();
  expect(heard.map(([, key]) => key)).toEqual(keys);
});
