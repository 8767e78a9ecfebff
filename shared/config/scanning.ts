import { SCAN_MODES, SCAN_WHEN_AWAY, type ScanSettings } from '../scanning/settings.ts';
import type { SettingReader } from './setting-reader.ts';

export function readScanning(read: SettingReader): ScanSettings {
  const clamdUrl = read.url('CLAMD_URL', ['tcp:', 'unix:']);
  if (clamdUrl !== null && /^unix:\/\/[^/]/.test(clamdUrl))
    read.issue('CLAMD_URL', clamdUrl, 'unix:///path, with three slashes: a socket has no host');
  return {
    clamdUrl,
    mode: read.choice('SCAN_MODE', SCAN_MODES, 'before'),
    whenAway: read.choice('SCAN_WHEN_AWAY', SCAN_WHEN_AWAY, 'hold'),
    maxBytes: read.integer('SCAN_MAX_BYTES', 25 * 1_048_576, 1, 4_000_000_000),
    rescanEveryMs: read.integer('RESCAN_EVERY_HOURS', 0, 0, 8_760) * 3_600_000,
    rescanPerSecond: read.integer('RESCAN_PER_SECOND', 20, 1, 10_000),
    linksFile: read.text('LINK_BLOCKLIST'),
  };
}
