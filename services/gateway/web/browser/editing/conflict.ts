import { askIn } from '../dialogs.ts';
import { find, within } from '../elements.ts';

/** The reader's answer to a conflict: `mine` is to go on, without saving. */
export type Decision = 'overwrite' | 'theirs' | 'mine';

/** Shows what somebody else has made of a text, and asks what to do. */
export async function resolveConflict(theirs: string): Promise<Decision> {
  const details = find('conflict-theirs', HTMLDetailsElement);
  details.open = false;
  within(details, 'pre', HTMLPreElement).textContent = theirs;
  const answer = await askIn('conflict');
  return answer === 'overwrite' || answer === 'theirs' ? answer : 'mine';
}
