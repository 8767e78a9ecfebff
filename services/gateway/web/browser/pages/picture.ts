/** The page of a picture: fitted into the page, or at any size, by buttons, the wheel and the keyboard. */
import { picture as texts } from '../../texts/page-language.ts';
import { within } from '../elements.ts';
import { button, make } from '../viewers/controls.ts';

const STEP = 1.25;
const SCALE = { min: 0.05, max: 16 };

const stage = within(document, '.stage-image', HTMLAnchorElement);
const image = within(stage, 'img', HTMLImageElement);

/** 1 is the picture's own size; `null`: as large as fits. */
let scale: number | null = null;

const view = make('div', 'stage stage-zoom');
view.tabIndex = 0;
view.setAttribute('role', 'region');
view.setAttribute('aria-label', texts.picture);
const level = make('output', 'viewer-outcome');
const fit = button(texts.fit, () => zoomTo(null));
const actual = button(texts.actual, () => zoomTo(1));
const smaller = button('−', () => zoomTo(current() / STEP));
smaller.setAttribute('aria-label', texts.smaller);
const larger = button('+', () => zoomTo(current() * STEP));
larger.setAttribute('aria-label', texts.larger);
const tools = make('div', 'viewer-buttons picture-tools', fit, actual, smaller, larger, level);
tools.setAttribute('role', 'group');
tools.setAttribute('aria-label', texts.zoom);

/** The size that is seen, of pictures that have one of their own. */
const current = (): number => scale ?? image.getBoundingClientRect().width / (image.naturalWidth || 1);

/** Zooms, and keeps a point of the picture where it is: by default the middle of what is seen. */
function zoomTo(to: number | null, at = { x: view.clientWidth / 2, y: view.clientHeight / 2 }): void {
  const before = image.getBoundingClientRect();
  const frame = view.getBoundingClientRect();
  const share = {
    x: (at.x + frame.left - before.left) / (before.width || 1),
    y: (at.y + frame.top - before.top) / (before.height || 1),
  };
  scale = to === null ? null : Math.min(SCALE.max, Math.max(SCALE.min, to));
  view.classList.toggle('is-zoomed', scale !== null);
  image.style.width = scale === null ? '' : `${image.naturalWidth * scale}px`;
  const after = image.getBoundingClientRect();
  view.scrollLeft += after.left + share.x * after.width - frame.left - at.x;
  view.scrollTop += after.top + share.y * after.height - frame.top - at.y;
  show();
}

function show(): void {
  level.textContent = texts.percent(Math.round(current() * 100));
  fit.setAttribute('aria-pressed', String(scale === null));
  actual.setAttribute('aria-pressed', String(scale === 1));
}

view.addEventListener(
  'wheel',
  (event) => {
    // Otherwise the wheel scrolls the page, for who only passes by.
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== view) return;
    event.preventDefault();
    const { left, top } = view.getBoundingClientRect();
    zoomTo(current() * STEP ** -Math.sign(event.deltaY), { x: event.clientX - left, y: event.clientY - top });
  },
  { passive: false },
);
view.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const keys: Record<string, () => void> = {
    '+': () => zoomTo(current() * STEP),
    '=': () => zoomTo(current() * STEP),
    '-': () => zoomTo(current() / STEP),
    '0': () => zoomTo(null),
    '1': () => zoomTo(1),
  };
  const action = keys[event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
});
image.addEventListener('dblclick', (event) => {
  const { left, top } = view.getBoundingClientRect();
  zoomTo(scale === null ? 1 : null, { x: event.clientX - left, y: event.clientY - top });
});

/** Drags a picture that is larger than its frame. */
function drag(start: PointerEvent): void {
  if (scale === null || start.pointerType !== 'mouse' || start.button !== 0) return;
  start.preventDefault();
  view.focus({ preventScroll: true });
  let { clientX, clientY } = start;
  const move = (event: PointerEvent): void => {
    view.scrollLeft -= event.clientX - clientX;
    view.scrollTop -= event.clientY - clientY;
    ({ clientX, clientY } = event);
  };
  view.setPointerCapture(start.pointerId);
  view.addEventListener('pointermove', move);
  const end = (): void => view.removeEventListener('pointermove', move);
  view.addEventListener('pointerup', end, { once: true });
  view.addEventListener('pointercancel', end, { once: true });
}
image.addEventListener('pointerdown', drag);
image.draggable = false;

// An SVG may have no size of its own: there is nothing to zoom then.
const begin = (): void => {
  if (image.naturalWidth === 0) return;
  stage.replaceWith(tools, view);
  view.append(image);
  show();
};
if (image.complete) begin();
else image.addEventListener('load', begin, { once: true });
addEventListener('resize', show);
