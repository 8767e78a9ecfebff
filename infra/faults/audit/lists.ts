import type { Written } from '../../load/audit.ts';
import type { Client } from '../../load/client.ts';
import type { Note } from '../../load/findings.ts';
import { nameOf } from '../../load/kinds/kind.ts';

interface ListPage {
  items: Array<{ namespace: string; id: string }>;
  total: number;
}

const PAGE_SIZE = 100;

/** The owner's list has what is there and nothing else: no write has left an item that nobody knows of. */
export async function auditOwnerList(
  client: Client,
  { ownerToken, written }: { ownerToken: string; written: Written[] },
  note: Note,
): Promise<void> {
  const listed = new Set<string>();
  for (let page = 1; ; page++) {
    const path = `/api/owner/items?page=${page}&size=${PAGE_SIZE}`;
    const call = {
      method: 'GET',
      template: '/api/owner/items',
      path,
      headers: { 'X-Owner-Token': ownerToken },
    };
    const seen = await client.send(call, page % client.gateways.length);
    if (!seen.answered || seen.status !== 200)
      return note('listed', `the owner's list got ${JSON.stringify(seen)}`);
    const { items } = JSON.parse(seen.text) as ListPage;
    for (const { namespace, id } of items) listed.add(`${namespace}/${id}`);
    if (items.length < PAGE_SIZE) break;
  }
  for (const { kind, target } of written) {
    if (!kind.isItem) continue;
    const name = nameOf(target);
    const isListed = listed.delete(name);
    if (!target.register.mayBe(isListed ? 'present' : 'absent')) {
      note(
        'listed',
        `${kind.name} ${name} is ${isListed ? '' : 'not '}listed; ${target.register.describe()}`,
      );
    }
  }
  for (const name of listed) note('listed', `${name} is listed, and nobody has made it`);
}
