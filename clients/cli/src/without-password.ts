/** A URL, or what was meant as one, as it may be printed: without a user and password. */
export function withoutPassword(text: string): string {
  // A password with a slash in it makes the text no URL: then all up to the last @ may belong to it.
  const secret = URL.canParse(text) ? /^(\s*[^:/]+:[/\\]*)[^/\\?#]*@/ : /^(\s*[^:/]+:[/\\]*).*@/s;
  return text.replace(secret, '$1…@');
}
