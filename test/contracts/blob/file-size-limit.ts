/** A command that runs the one after it, of whose files none may have more than so many KB: the kernel refuses further bytes (EFBIG). */
export const withFileSizeLimit = (kilobytes: number): string[] => [
  'bash',
  '-c',
  `trap '' XFSZ; ulimit -f ${kilobytes}; exec "$@"`,
  'bash',
];
