/** The page of a JSON document, or of a file of JSON or separated values: a viewer in place of how the text begins. */
import { dataView as texts } from '../../texts/page-language.ts';
import { within } from '../elements.ts';
import { make } from '../viewers/controls.ts';
import { csvTable } from '../viewers/csv-table.ts';
import { jsonTree } from '../viewers/json-tree.ts';

const view = within(document, '.data-view', HTMLElement);
const { format = '', source = '' } = view.dataset;

try {
  const response = await fetch(source);
  if (!response.ok) throw new Error(texts.notLoaded(response.status));
  const text = await response.text();
  view.replaceChildren(format === 'json' ? jsonTree(text) : csvTable(text, format === 'tsv'));
} catch (error) {
  const notice = make('p', 'hint viewer-fault', explain(error));
  notice.setAttribute('role', 'status');
  view.prepend(notice);
}

function explain(error: unknown): string {
  if (error instanceof SyntaxError) return texts.invalidJson(error.message);
  // `fetch` throws it when there is no answer.
  if (error instanceof TypeError) return texts.unreachable;
  return error instanceof Error ? error.message : String(error);
}
