/** Copies a slice of a text, for values that outlive their request: a slice itself keeps the whole text in memory. */
export const copyOfSlice = (text: string): string => JSON.parse(JSON.stringify(text)) as string;
