import { expect, test } from 'bun:test';
import { readCommand, readCounts } from '../../infra/cluster/control.ts';
import { statusTable, sumOf } from '../../infra/cluster/status.ts';

const ONE_EACH = { gateway: 1, content: 1, kv: 1, site: 1, analytics: 1 };

test('without a word it runs one process of each service, or as many as it is told', () => {
  expect(readCommand([])).toEqual({ do: 'run', counts: ONE_EACH, isHa: false });
  expect(readCommand(['--gateway', '1', '--kv', '16'])).toEqual({
    do: 'run',
    counts: { ...ONE_EACH, kv: 16 },
    isHa: false,
  });
});

test('of a highly available one there are two of each service, or as many as it is told', () => {
  const two = { gateway: 2, content: 2, kv: 2, site: 2, analytics: 2 };
  expect(readCommand(['--ha', '--kv', '1'])).toEqual({ do: 'run', counts: { ...two, kv: 1 }, isHa: true });
  expect(() => readCommand(['status', '--ha'])).toThrow('--ha says how a cluster is started');
});

test('it speaks to the cluster that runs', () => {
  expect(readCommand(['status'])).toEqual({ do: 'status' });
  expect(readCommand(['scale', '--content', '3', '--kv=2'])).toEqual({
    do: 'scale',
    counts: { content: 3, kv: 2 },
  });
});

test.each([
  [['--kv', '0'], '--kv wants a number from 1 to 16, not 0'],
  [['--kv', '17'], '--kv wants a number from 1 to 16, not 17'],
  [['--kv', '1.5'], '--kv wants a number from 1 to 16, not 1.5'],
  [['--kv='], '--kv wants a number from 1 to 16, not '],
  [['scale'], 'not "scale"'],
  [['scale', 'kv'], 'not "scale kv"'],
  [['status', '--kv', '2'], 'not "status --kv 2"'],
  [['stop'], 'not "stop"'],
  [['--embedded', '2'], '--embedded'],
])('%j is refused', (words, message) => {
  expect(() => readCommand(words)).toThrow(message);
});

test('counts from another process are checked, too', () => {
  expect(readCounts({ content: 16 })).toEqual({ content: 16 });
  expect(() => readCounts({ content: 17 })).toThrow('from 1 to 16');
  expect(() => readCounts({ embedded: 1 })).toThrow('there is no service embedded');
  expect(() => readCounts({ content: null })).toThrow('from 1 to 16');
});

test('sums a metric over its labels, and takes none of a longer name', () => {
  const text = [
    '# TYPE bus_requests_total counter',
    'bus_requests_total{operation="content.create-html",service="content"} 12',
    'bus_requests_total{operation="content.resolve",service="content"} 1e3',
    'bus_requests_total_of_another{service="content"} 5',
    'process_resident_memory_bytes 7',
  ].join('\n');
  expect(sumOf(text, 'bus_requests_total')).toBe(1_012);
  expect(sumOf(text, 'process_resident_memory_bytes')).toBe(7);
  expect(sumOf(text, 'none')).toBe(0);
});

test('the table says what runs, and what does not', () => {
  const share = { share: 0.25, underWay: 2, messages: 1_200, memoryBytes: 104_857_600 };
  const table = statusTable([
    {
      ...share,
      service: 'analytics',
      name: 'analytics-1',
      url: 'http://a',
      pid: 7,
      isReady: true,
      requests: 1_000,
    },
    { ...share, service: 'kv', name: 'kv-1', url: 'http://b', pid: null, isReady: false, requests: 0 },
  ]);
  const [headings = '', first = '', second = ''] = table.split('\n').map((line) => line.split(/ {2,}/));
  expect(headings).toEqual([
    'process',
    'pid',
    'address',
    'state',
    'requests',
    'share',
    'under way',
    'messages',
    'memory',
  ]);
  expect(first).toEqual(['analytics-1', '7', 'http://a', 'ready', '1,000', '25 %', '2', '1,200', '100 MB']);
  expect(second).toEqual(['kv-1', '–', 'http://b', 'ended', '0', '25 %', '2', '100 MB']);
});
