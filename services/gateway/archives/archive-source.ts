/** An archive, read piece by piece at given positions. */
export interface ArchiveSource {
  /** Bytes of the whole archive. */
  readonly size: number;
  /** @throws VALIDATION_FAILED when the archive ends before; UNAVAILABLE when it cannot be read */
  read(position: number, length: number): Promise<Buffer>;
}
