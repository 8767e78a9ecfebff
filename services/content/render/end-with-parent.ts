import { dlopen, FFIType } from 'bun:ffi';
import { constants } from 'node:os';

/** Of `<sys/prctl.h>`. */
const PR_SET_PDEATHSIG = 1;

/**
 * Lets the kernel kill this process when its parent ends: while a regular expression runs, the process does not see that the
 * channel to its parent was closed. On Linux with the GNU C library only; elsewhere it ends when the expression has.
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
