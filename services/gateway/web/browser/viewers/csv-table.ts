import { dataView as texts } from '../../texts/page-language.ts';
import { button, cut, make, searchField } from './controls.ts';
import { type CsvOrder, type CsvTable, parseCsv, sortedRows } from './csv-rows.ts';
import { createVirtualRows } from './virtual-rows.ts';

/** Characters of a cell that a row shows; the dialog of a row shows more. */
const SHOWN = { inRow: 300, inDialog: 20_000 };

/** Widths of columns in characters, by the first rows. */
const WIDTH = { min: 5, max: 40, rows: 200 };

/** A text of separated values as a table that can be sorted and searched, whose rows are made when they come into sight. */
export function csvTable(text: string, isTabbed: boolean): HTMLElement {
  const data = parseCsv(text, isTabbed);
  const viewer = make('div', 'viewer csv-viewer');
  const show = (hasHeading: boolean): void => viewer.replaceChildren(...parts(data, hasHeading, showAnew));
  /** The switch that was pressed has gone with the rest: the new one has the focus. */
  const showAnew = (hasHeading: boolean): void => {
    show(hasHeading);
    viewer.querySelector<HTMLInputElement>('input[type=checkbox]')?.focus();
  };
  show(true);
  return viewer;
}

function parts(data: CsvTable, hasHeading: boolean, again: (hasHeading: boolean) => void): HTMLElement[] {
  const { rows, columns } = data;
  const all = rows.map((_, at) => at).slice(hasHeading ? 1 : 0);
  const names = Array.from({ length: columns }, (_, at) => {
    const name = hasHeading ? (rows[0]?.[at] ?? '').trim() : '';
    return name === '' ? texts.column(at + 1) : name;
  });
  let order: CsvOrder | null = null;
  let wanted = '';
  let shown = all;
  let current = 0;

  const before = spacer(columns);
  const behind = spacer(columns);
  const body = make('tbody', '');
  const head = make('tr', '');
  head.setAttribute('aria-rowindex', '1');
  const widths = make('colgroup', '', ...columnWidths(data));
  const table = make(
    'table',
    'csv',
    make('caption', 'visually-hidden', texts.table),
    widths,
    make('thead', '', head),
    body,
  );
  const scroller = make('div', 'csv-scroll', table);
  scroller.tabIndex = 0;
  scroller.setAttribute('role', 'region');
  scroller.setAttribute('aria-label', texts.table);
  const lines = createVirtualRows({
    scroller,
    holder: body,
    before,
    behind,
    headHeight: () => head.getBoundingClientRect().height,
    count: () => shown.length,
    render: (at) => renderRow(at),
    refocus: () => focusCurrent(),
  });

  function renderRow(at: number): HTMLElement {
    const number = shown[at] ?? 0;
    const cells = rows[number] ?? [];
    const row = make('tr', '');
    row.setAttribute('aria-rowindex', String(at + 2));
    const open = button(
      String(number + (hasHeading ? 0 : 1)),
      () => showRow(names, cells, open),
      'csv-number',
    );
    open.tabIndex = at === current ? 0 : -1;
    open.dataset.at = String(at);
    open.setAttribute('aria-label', texts.showRow(number + (hasHeading ? 0 : 1)));
    const first = make('th', '', open);
    first.scope = 'row';
    row.append(first);
    for (let column = 0; column < columns; column++)
      row.append(make('td', '', make('bdi', '', cut(cells[column] ?? '', SHOWN.inRow))));
    return row;
  }

  /** Out of sight the row has no element: then the table has the focus. */
  function focusCurrent(): void {
    const target = body.querySelector(`[data-at="${current}"]`);
    (target instanceof HTMLElement ? target : scroller).focus({ preventScroll: true });
  }

  const toRow = (at: number): void => {
    current = Math.max(0, Math.min(shown.length - 1, at));
    lines.reveal(current);
    focusCurrent();
  };
  body.addEventListener('keydown', (event) => {
    const steps: Record<string, number> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      Home: 0,
      End: shown.length - 1,
      PageDown: current + lines.page,
      PageUp: current - lines.page,
    };
    const to = steps[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    toRow(to);
  });

  const search = searchField(texts.findRows, (typed) => {
    wanted = typed.toLowerCase();
    arrange();
  });
  const count = search.outcome;

  function arrange(): void {
    const found =
      wanted === '' ? all : all.filter((at) => rows[at]?.some((cell) => cell.toLowerCase().includes(wanted)));
    const how = { hasDecimalCommas: data.hasDecimalCommas, language: document.documentElement.lang };
    shown = order === null ? found : sortedRows(rows, found, order, how);
    current = 0;
    table.setAttribute('aria-rowcount', String(shown.length + 1));
    count.textContent = wanted === '' ? texts.rows(all.length) : texts.rowsOf(shown.length, all.length);
    scroller.scrollTop = 0;
    lines.refresh();
  }

  const headings = names.map((name, column) => {
    const sort = button(
      '',
      () => {
        order = nextOrder(order, column);
        for (const [at, heading] of headings.entries())
          markOrder(heading, order?.column === at ? order : null);
        arrange();
      },
      'csv-sort',
    );
    sort.append(make('bdi', '', cut(name, SHOWN.inRow)), make('span', 'csv-mark'));
    const heading = make('th', '', sort);
    heading.scope = 'col';
    return heading;
  });
  head.append(make('td', 'csv-corner'), ...headings);

  const tools = make(
    'div',
    'viewer-tools',
    make('div', 'viewer-search', search.label, count),
    headingSwitch(hasHeading, again),
  );
  requestAnimationFrame(arrange);
  const cutNote = [
    data.isCut.rows ? texts.rowsCut(rows.length) : '',
    data.isCut.columns ? texts.columnsCut(columns) : '',
  ];
  const notes = cutNote.filter((note) => note !== '').map((note) => make('p', 'hint', note));
  return [tools, scroller, ...notes];
}

/** Whether the first row names the columns: nothing in the file says so. */
function headingSwitch(hasHeading: boolean, again: (hasHeading: boolean) => void): HTMLElement {
  const box = make('input', '');
  box.type = 'checkbox';
  box.checked = hasHeading;
  box.addEventListener('change', () => again(box.checked));
  return make('label', 'viewer-check', box, texts.hasHeading);
}

/** Upwards, downwards, and as in the file. */
function nextOrder(order: CsvOrder | null, column: number): CsvOrder | null {
  if (order?.column !== column) return { column, isDescending: false };
  return order.isDescending ? null : { column, isDescending: true };
}

function markOrder(heading: HTMLElement, order: CsvOrder | null): void {
  if (order === null) heading.removeAttribute('aria-sort');
  else heading.setAttribute('aria-sort', order.isDescending ? 'descending' : 'ascending');
}

function columnWidths({ rows, columns }: CsvTable): HTMLElement[] {
  const numbers = make('col', '');
  numbers.style.width = `${String(rows.length).length + 3}ch`;
  const widths = Array.from({ length: columns }, (_, column) => {
    let longest = WIDTH.min;
    for (const row of rows.slice(0, WIDTH.rows)) longest = Math.max(longest, row[column]?.length ?? 0);
    const made = make('col', '');
    made.style.width = `${Math.min(longest, WIDTH.max) + 4}ch`;
    return made;
  });
  return [numbers, ...widths];
}

/** A whole row, one cell below the other: for cells that a row cuts, and for narrow screens. */
function showRow(names: readonly string[], cells: readonly string[], from: HTMLElement): void {
  const list = make('dl', '');
  for (const [at, name] of names.entries())
    list.append(
      make('dt', '', make('bdi', '', cut(name, SHOWN.inRow))),
      make('dd', '', make('bdi', '', cut(cells[at] ?? '', SHOWN.inDialog))),
    );
  const close = button(texts.close, () => dialog.close());
  const dialog = make(
    'dialog',
    'csv-row',
    make('h2', '', from.getAttribute('aria-label') ?? ''),
    list,
    close,
  );
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (from.isConnected) from.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
}

function spacer(columns: number): HTMLElement {
  const cell = make('td', '');
  cell.colSpan = columns + 1;
  const made = make('tr', 'csv-room', cell);
  made.setAttribute('aria-hidden', 'true');
  return made;
}
