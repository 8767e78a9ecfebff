/** The operator's console: follows the access log, and lets one drag over its chart. All else works without a script. */

import { following, language } from '../../texts/page-language.ts';

/** Time between two looks at the log, in ms. */
const LOOK_MS = 2_000;

/** A drag over fewer pixels is a click. */
const CLICK_PIXELS = 4;

followLog();
listenToDrags();

/** Fetches the page again and again, and puts its new list in place of the old one. */
function followLog(): void {
  const state = document.getElementById('live-state');
  if (state === null || document.querySelector('#access-list[data-live]') === null) return;
  const look = async (): Promise<void> => {
    if (document.hidden || isInUse()) return;
    const response = await fetch(location.href, { headers: { Accept: 'text/html' } });
    if (!response.ok) throw new Error(String(response.status));
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
    const list = fresh.getElementById('access-list');
    const shown = document.getElementById('access-list');
    if (list === null || shown === null || isInUse()) return;
    shown.replaceWith(list);
    state.textContent = following.at(new Date().toLocaleTimeString(language.locale, { timeZone: 'UTC' }));
  };
  const follow = (): void => {
    look()
      .then(() => setTimeout(follow, LOOK_MS))
      .catch(() => {
        state.textContent = following.ended;
      });
  };
  setTimeout(follow, LOOK_MS);
}

/** Whether somebody reads or uses the list just now, and would lose their place. */
function isInUse(): boolean {
  const list = document.getElementById('access-list');
  if (list === null) return false;
  return (
    list.contains(document.activeElement) || dragged !== null || (getSelection()?.toString() ?? '') !== ''
  );
}

interface Drag {
  chart: HTMLElement;
  plot: Element;
  range: HTMLElement;
  startX: number;
  pointer: number;
}

let dragged: Drag | null = null;
let wasDragged = false;

/** The listeners are the document's: the chart is replaced while the log is followed. */
function listenToDrags(): void {
  document.addEventListener('pointerdown', (event) => {
    const plot = event.target instanceof Element ? event.target.closest('.console-plot') : null;
    const chart = plot?.closest<HTMLElement>('.console-chart') ?? null;
    const range = plot?.querySelector<HTMLElement>('.console-range') ?? null;
    if (plot === null || chart === null || range === null || event.button !== 0) return;
    dragged = { chart, plot, range, startX: event.clientX, pointer: event.pointerId };
    wasDragged = false;
  });
  document.addEventListener('pointermove', (event) => {
    if (dragged === null || event.pointerId !== dragged.pointer) return;
    if (Math.abs(event.clientX - dragged.startX) < CLICK_PIXELS) return;
    wasDragged = true;
    getSelection()?.removeAllRanges();
    drawRange(dragged, event.clientX);
  });
  document.addEventListener('pointerup', (event) => {
    const drag = dragged;
    dragged = null;
    if (drag === null || !wasDragged) return;
    drag.range.hidden = true;
    location.assign(addressOf(drag, event.clientX));
  });
  document.addEventListener('pointercancel', () => {
    if (dragged !== null) dragged.range.hidden = true;
    dragged = null;
  });
  document.addEventListener('dragstart', (event) => {
    if (dragged !== null) event.preventDefault();
  });
  // A drag that ends on a bar is no click on its link.
  document.addEventListener(
    'click',
    (event) => {
      if (!wasDragged) return;
      wasDragged = false;
      event.preventDefault();
    },
    true,
  );
}

/** The chosen part of the plot, from 0 to 1. */
function partsOf({ plot, startX }: Drag, x: number): [from: number, to: number] {
  const { left, width } = plot.getBoundingClientRect();
  const part = (at: number): number => Math.min(1, Math.max(0, (at - left) / width));
  return [part(Math.min(startX, x)), part(Math.max(startX, x))];
}

function drawRange(drag: Drag, x: number): void {
  const [from, to] = partsOf(drag, x);
  drag.range.hidden = false;
  drag.range.style.left = `${from * 100}%`;
  drag.range.style.width = `${(to - from) * 100}%`;
}

/** This page with the chosen time, in whole bars. */
function addressOf(drag: Drag, x: number): string {
  const [from, to] = partsOf(drag, x);
  const { from: first, to: last, bar } = drag.chart.dataset;
  const [begin, end, barMs] = [Number(first), Number(last), Number(bar)];
  const bars = Math.round((end - begin) / barMs);
  const address = new URL(location.href);
  const moment = (index: number): string => new Date(begin + index * barMs).toISOString();
  address.searchParams.set('from', moment(Math.floor(from * bars)));
  address.searchParams.set('to', moment(Math.max(Math.floor(from * bars) + 1, Math.ceil(to * bars))));
  for (const name of ['cursor', 'live', 'done']) address.searchParams.delete(name);
  return address.href;
}
