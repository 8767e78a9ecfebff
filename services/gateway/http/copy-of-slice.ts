/** A part of a text keeps all of it in memory. This copy does not: for what is kept longer than the request it is from. */
export const copyOfSlice = (text: string): string => JSON.parse(JSON.stringify(text)) as string;
