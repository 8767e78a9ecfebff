/** Text as the value of a header: its UTF-8 bytes, one character each, which the server reads back (specification 1.2). */
export const asHeader = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));
