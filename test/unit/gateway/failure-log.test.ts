import { expect, jest, test } from 'bun:test';
import pino from 'pino';
import { createFailureLog } from '../../../services/gateway/error-response.ts';
import { errors } from '../../../shared/errors.ts';

test('of failures without end a hundred are told in ten seconds, and how many there were besides', () => {
  jest.useFakeTimers();
  try {
    const lines: Array<Record<string, unknown>> = [];
    const log = createFailureLog(
      pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }),
    );
    for (let n = 0; n < 5_000; n++) log.report(errors.unavailable('content'), `request ${n}`);
    expect(lines).toHaveLength(100);
    jest.advanceTimersByTime(10_000);
    expect(lines.slice(100)).toMatchObject([{ failures: 4_900, msg: 'more requests failed' }]);
    log.report(errors.unavailable('content'), 'a later one');
    jest.advanceTimersByTime(10_000);
    expect(lines.slice(101)).toMatchObject([{ requestId: 'a later one', msg: 'request failed' }]);
  } finally {
    jest.useRealTimers();
  }
});
