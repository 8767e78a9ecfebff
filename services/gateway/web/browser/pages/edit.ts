/** Edits one item, for whoever has its management link or keeps its owner token. */
import { editPairs } from '../editing/edit-pairs.ts';
import { editText } from '../editing/edit-text.ts';
import { editedDocument, editedPage } from '../editing/edited-item.ts';
import { storedPairs } from '../editing/stored-pairs.ts';
import { find, noticesOf } from '../elements.ts';
import { findToken, itemOf } from '../item-token.ts';
import { kindOf } from '../owner-api.ts';

const address = itemOf(find('edit', HTMLElement));
const notices = noticesOf('edit');

findToken('edit', address, {
  ...notices,
  async onToken(token) {
    const kind = await kindOf(token, address);
    if (kind === 'html') await editText(editedPage(token, address), notices);
    else if (kind === 'json') await editText(editedDocument(token, address), notices);
    else if (kind === 'kv') await editPairs(storedPairs(token, address), noticesOf('pairs'));
    else find('edit-elsewhere', HTMLElement).hidden = false;
  },
});
