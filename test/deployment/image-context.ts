import { readFileSync } from 'node:fs';

/**
 * Whether a path of the project goes into the image's context by `.dockerignore`: the last line that matches decides.
 * Of its patterns `*` alone and plain paths are known; a path stands for all below it, too.
 *
 * @throws Error for any other pattern
 */
export function contextOf(ignoreFile: string): (path: string) => boolean {
  const rules = readFileSync(ignoreFile, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ keeps: line.startsWith('!'), pattern: line.replace(/^!/, '') }));
  for (const { pattern } of rules) {
    if (pattern !== '*' && /[*?[\]\\]/.test(pattern))
      throw new Error(`a pattern that is not known here: ${pattern}`);
  }
  const matches = (pattern: string, path: string) =>
    pattern === '*' || path === pattern || path.startsWith(`${pattern}/`);
  return (path) => rules.findLast(({ pattern }) => matches(pattern, path))?.keeps ?? true;
}
