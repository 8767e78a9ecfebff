import { dataView as texts } from '../../texts/page-language.ts';
import { button, copyButton, cut, make, searchField } from './controls.ts';
import { indexJson, type JsonIndex, MAX_MATCHES, pathOf, searchJson } from './json-index.ts';
import { createOpenRows, type JsonRow } from './json-rows.ts';
import { createVirtualRows } from './virtual-rows.ts';

/** Characters of a name or value that a line shows. */
const SHOWN = 300;

/** Deeper levels are not moved in any further: their lines would leave the page. */
const MAX_INDENTED = 24;

/** Lines that "open all" opens at most. */
const OPENED_AT_ONCE = 20_000;

/**
 * A JSON text as a tree with a search, whose lines are made when they come into sight.
 * @throws SyntaxError when it is no JSON
 */
export function jsonTree(text: string): HTMLElement {
  const index = indexJson(text);
  const open = createOpenRows(index);
  let selected = 0;

  const before = spacer();
  const behind = spacer();
  const holder = make('div', 'json-rows');
  holder.setAttribute('role', 'none');
  const tree = make('div', 'json-tree', holder);
  tree.setAttribute('role', 'tree');
  tree.setAttribute('aria-label', texts.tree);
  tree.tabIndex = 0;
  const path = make('code', 'viewer-path');
  path.setAttribute('aria-label', texts.path);

  const lines = createVirtualRows({
    scroller: tree,
    holder,
    before,
    behind,
    count: () => open.rows.length,
    render: (at) => line(index, open.rows[at], at, { isSelected: at === selected, isOpen: open.isOpen }),
  });

  const show = (): void => {
    lines.refresh();
    if (document.getElementById(lineId(selected)) === null) tree.removeAttribute('aria-activedescendant');
    else tree.setAttribute('aria-activedescendant', lineId(selected));
    path.textContent = pathOf(index, selectedNode());
  };
  const selectedNode = (): number => open.rows[selected]?.node ?? 0;
  const select = (at: number): void => {
    selected = Math.max(0, Math.min(open.rows.length - 1, at));
    lines.reveal(selected);
    show();
  };
  const act = (at: number): void => {
    const row = open.rows[at];
    if (row === undefined) return;
    if (row.hidden !== null) open.showMore(row.node);
    else if (index.childCount(row.node) > 0) open.toggle(row.node);
    select(at);
  };
  const revealNode = (node: number): void => select(open.reveal(node));
  const toParent = (): void => {
    const row = open.rows[selected];
    if (row === undefined) return;
    const parent = row.hidden === null ? index.parent(row.node) : row.node;
    if (parent >= 0) select(open.rows.findIndex(({ node, hidden }) => node === parent && hidden === null));
  };

  tree.addEventListener('click', (event) => {
    const item = event.target instanceof Element ? event.target.closest('[role=treeitem]') : null;
    if (item !== null) act(Number(item.id.slice(LINE.length)));
  });
  tree.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = open.rows[selected];
    if (row === undefined) return;
    const isParent = row.hidden === null && index.childCount(row.node) > 0;
    const keys: Record<string, () => void> = {
      ArrowDown: () => select(selected + 1),
      ArrowUp: () => select(selected - 1),
      PageDown: () => select(selected + lines.page),
      PageUp: () => select(selected - lines.page),
      Home: () => select(0),
      End: () => select(open.rows.length - 1),
      ArrowRight: () => (isParent && !open.isOpen(row.node) ? act(selected) : select(selected + 1)),
      ArrowLeft: () => (isParent && open.isOpen(row.node) ? act(selected) : toParent()),
      Enter: () => act(selected),
      ' ': () => act(selected),
    };
    const action = keys[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });

  const search = createSearch(index, revealNode);
  const all = button(texts.openAll, () => {
    open.openAll(OPENED_AT_ONCE);
    select(0);
  });
  const none = button(texts.closeAll, () => {
    open.closeAll();
    select(0);
  });
  const tools = make('div', 'viewer-tools', search, make('div', 'viewer-buttons', all, none));
  const copyPath = copyButton(texts.copyPath, () => pathOf(index, selectedNode()));
  const copyValue = copyButton(texts.copyValue, () => index.source(selectedNode()));
  const foot = make('div', 'viewer-foot', path, copyPath, copyValue);
  const viewer = make('div', 'viewer json-viewer', tools, tree, foot);
  requestAnimationFrame(show);
  return viewer;
}

/** The field of the search, and the ways from one match to the next. */
function createSearch(index: JsonIndex, reveal: (node: number) => void): HTMLElement {
  let found: number[] = [];
  let current = 0;
  let run = 0;
  const go = (by: number): void => {
    if (found.length === 0) return;
    current = (current + by + found.length) % found.length;
    reveal(found[current] ?? 0);
    outcome.textContent = texts.match(current + 1, found.length, found.length === MAX_MATCHES);
  };
  const { label, field, outcome } = searchField(texts.find, async (text) => {
    run += 1;
    const mine = run;
    const matches = text === '' ? [] : await searchJson(index, text, () => mine === run);
    if (matches === null || mine !== run) return;
    found = matches;
    current = 0;
    outcome.textContent = text === '' ? '' : texts.noMatch;
    go(0);
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    go(event.shiftKey ? -1 : 1);
  });
  const previous = button('↑', () => go(-1));
  previous.setAttribute('aria-label', texts.previousMatch);
  const next = button('↓', () => go(1));
  next.setAttribute('aria-label', texts.nextMatch);
  return make('div', 'viewer-search', label, previous, next, outcome);
}

const LINE = 'json-line-';
const lineId = (at: number): string => `${LINE}${at}`;

function spacer(): HTMLElement {
  const made = make('div', '');
  made.setAttribute('aria-hidden', 'true');
  return made;
}

interface LineState {
  isSelected: boolean;
  isOpen(node: number): boolean;
}

function line(index: JsonIndex, row: JsonRow | undefined, at: number, state: LineState): HTMLElement {
  const item = make('div', 'json-line');
  if (row === undefined) return item;
  const { node, level, place, hidden } = row;
  item.id = lineId(at);
  item.setAttribute('role', 'treeitem');
  item.setAttribute('aria-level', String(level + 1));
  item.setAttribute('aria-selected', String(state.isSelected));
  item.style.paddingInlineStart = `${Math.min(level, MAX_INDENTED) * 1.1 + 0.5}rem`;
  if (hidden !== null) {
    item.append(make('span', 'json-more', texts.more(hidden)));
    return item;
  }
  const count = index.childCount(node);
  const parent = index.parent(node);
  item.setAttribute('aria-posinset', String(place + 1));
  item.setAttribute('aria-setsize', String(parent < 0 ? 1 : index.childCount(parent)));
  const mark = make('span', 'json-mark');
  mark.setAttribute('aria-hidden', 'true');
  if (count > 0) {
    item.setAttribute('aria-expanded', String(state.isOpen(node)));
    mark.classList.add('can-open');
  }
  item.append(mark);
  if (parent >= 0) {
    const key = index.key(node);
    item.append(
      make('bdi', key === null ? 'json-place' : 'json-key', key === null ? String(place) : cut(key, SHOWN)),
      ': ',
    );
  }
  item.append(value(index, node, count));
  return item;
}

function value(index: JsonIndex, node: number, count: number): HTMLElement {
  const type = index.type(node);
  if (type === 'object')
    return make('span', 'json-count', count === 0 ? '{}' : `{ ${texts.members(count)} }`);
  if (type === 'array')
    return make('span', 'json-count', count === 0 ? '[]' : `[ ${texts.elements(count)} ]`);
  const source = index.source(node);
  const shown = make('bdi', `json-${type}`, cut(source, SHOWN));
  if (source.length <= SHOWN) return shown;
  return make('span', '', shown, ' ', make('span', 'json-count', texts.characters(source.length)));
}
