import { dlopen, FFIType } from 'bun:ffi';
import { constants } from 'node:os';

/** Of `<sys/prctl.h>`. */
const PR_SET_PDEATHSIG = 1;

/**
 * The kernel then kills this process when its parent ends: a regular expression that does not end would never let it see
 * that it is alone. On Linux with the GNU C library only; elsewhere it ends when it does see it.
 */
export function endWithParent(): void {
  if (process.platform !== 'linux') return;
  try {
    const { symbols } = dlopen('libc.so.6', {
      prctl: { args: [FFIType.int, FFIType.u64], returns: FFIType.int },
    });
    symbols.prctl(PR_SET_PDEATHSIG, constants.signals.SIGKILL);
  } catch {
    // The end of the channel to the parent is left.
  }
}
