/** A fenced block of markdown, whatever is in the text. */
export function codeBlock(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}\n`;
}

/** A value of an example as it would be sent. */
export const exampleText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
