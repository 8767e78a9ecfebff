import { expect, test } from 'bun:test';
import { startOfDay } from '../../../services/gateway/features/stats/routes.ts';

const starts: Array<[zone: string, now: string, start: string]> = [
  ['UTC', '2026-03-05T00:00:00.000Z', '2026-03-05T00:00:00.000Z'],
  ['UTC', '2026-03-04T23:59:59.999Z', '2026-03-04T00:00:00.000Z'],
  ['Asia/Kathmandu', '2026-03-05T18:14:59.999Z', '2026-03-04T18:15:00.000Z'],
  ['Asia/Kathmandu', '2026-03-05T18:15:00.000Z', '2026-03-05T18:15:00.000Z'],
  ['Pacific/Kiritimati', '2026-09-06T12:00:00.000Z', '2026-09-06T10:00:00.000Z'],
  ['Etc/GMT+12', '2026-09-06T11:59:59.999Z', '2026-09-05T12:00:00.000Z'],
  ['america/port-au-prince', '2026-01-06T12:00:00.000Z', '2026-01-06T05:00:00.000Z'],
  // Clocks went from 00:00 to 01:00, and on another day from 01:00 back to 00:00.
  ['America/Santiago', '2026-09-06T12:00:00.000Z', '2026-09-06T04:00:00.000Z'],
  ['America/Havana', '2026-11-01T12:00:00.000Z', '2026-11-01T04:00:00.000Z'],
];
for (const [zone, now, start] of starts) {
  test(`at ${now} the day of ${zone} began at ${start}`, () => {
    expect(new Date(startOfDay(Date.parse(now), zone)).toISOString()).toBe(start);
  });
}

const none = [
  'Europe/Atlantis',
  '+02:00',
  '-0800',
  'Z',
  '',
  ' ',
  '2026-01-01[UTC]',
  'UTC\n',
  '/',
  'a'.repeat(101),
];
for (const zone of none) {
  test(`${JSON.stringify(zone)} is no time zone`, () => {
    expect(() => startOfDay(0, zone)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  });
}
