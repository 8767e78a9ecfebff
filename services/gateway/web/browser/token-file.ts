/** The content of a file of saved owner tokens. */
interface TokenFile {
  readonly perch: 'owner tokens';
  /** Where the tokens are good, for the reader of the file. */
  readonly server: string;
  readonly tokens: readonly string[];
}

/** Characters of an owner token (`shared/items/item.ts`). */
const LENGTH = { min: 16, max: 512 };

/** Whether a text can be an owner token (specification 12.1). */
export function isToken(text: string): boolean {
  const { length } = [...text];
  return length >= LENGTH.min && length <= LENGTH.max && !/\p{Cc}/u.test(text) && text.isWellFormed();
}

/** The text of a file with tokens in it. `server` is the address they are good for. */
export function tokenFile(tokens: readonly string[], server: string): string {
  const file: TokenFile = { perch: 'owner tokens', server, tokens };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** The tokens in the text of a file: one of ours, or one with a token in each line. */
export function tokensIn(text: string): string[] {
  return listed(text).filter(isToken);
}

function listed(text: string): string[] {
  try {
    const file = JSON.parse(text) as Partial<TokenFile> | null;
    const tokens: unknown = file?.tokens;
    return Array.isArray(tokens) ? tokens.filter((token) => typeof token === 'string') : [];
  } catch {
    return text.split(/[\r\n]/).map((line) => line.trim());
  }
}
