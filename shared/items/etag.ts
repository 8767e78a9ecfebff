/** The entity tag of stored content, without quotes: the same bytes always have the same one. */
export const etagOf = ({ sha256 }: { sha256: string }): string => sha256.slice(0, 32);
