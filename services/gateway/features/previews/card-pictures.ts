import type { Node } from '@takumi-rs/core';
import { LRUCache } from 'lru-cache';
import { createCountingSemaphore } from '../../../../shared/counting-semaphore.ts';
import { steadyNow, within } from '../../../../shared/deadline.ts';
import { errors } from '../../../../shared/errors.ts';
import type { Kind } from '../../../../shared/items/item.ts';
import type { LiveItemRecord } from '../../../../shared/items/item-record.ts';
import { firstText } from '../../../../shared/pages/page-description.ts';
import { drawable, loadTextRenderer } from '../../../../shared/pictures/text-renderer.ts';
import { createSingleFlight } from '../../../../shared/single-flight.ts';
import { formatSize } from '../../../../shared/wording/format-size.ts';
import { createFairBudget } from '../../admission/fair-budget.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { PageDependencies } from '../../rendered-pages/rendered-pages.ts';
import { loadOnce } from '../../web/fixed-body.ts';

interface CardPictures {
  /**
   * The PNG under a key, drawn once as long as it is kept; `null` when the client has its share of those that are being
   * drawn, or there is no time.
   * @param client its key in limits and budgets
   */
  draw(client: string, key: string, card: () => Promise<Card>): Promise<Uint8Array | null>;
}

/** Pictures are about 25 KB. */
const KEPT_BYTES = 16 * 1_048_576;
/** A picture takes 10 to 30 ms of a thread beside the event loop. */
const AT_ONCE = 2;
/** Requests that wait for a picture, shared by client: one alone gets half. */
const MAX_WAITING = 36;
const LIMIT_MS = 3_000;

/** Draws cards. The renderer takes some 20 MB: the first picture loads it. */
export function createCardPictures(): CardPictures {
  const kept = new LRUCache<string, Uint8Array>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ length }) => length + 512,
  });
  const share = createSingleFlight<Uint8Array | null>();
  const permits = createCountingSemaphore(AT_ONCE);
  const slots = createFairBudget({ total: MAX_WAITING, refuse: () => errors.refused('pictures') });
  const renderer = loadOnce(loadTextRenderer);

  async function render(key: string, card: () => Promise<Card>): Promise<Uint8Array | null> {
    const until = steadyNow() + LIMIT_MS;
    const leftMs = (): number => Math.max(1, until - steadyNow());
    if (!(await permits.acquire(LIMIT_MS))) return null;
    try {
      const loaded = Promise.all([renderer(), card()]);
      const [text, shown] = await within(loaded, leftMs(), () =>
        errors.timeout('reading an item for its picture'),
      );
      const signal = AbortSignal.timeout(leftMs());
      const bytes = new Uint8Array(await text.render(cardNode(shown), { ...CARD, format: 'png', signal }));
      kept.set(key, bytes);
      return bytes;
    } finally {
      permits.release();
    }
  }

  return {
    async draw(client, key, card) {
      const known = kept.get(key);
      if (known !== undefined) return known;
      const slot = slots.open(client);
      try {
        return slot.tryTake(1) ? await share(key, () => render(key, card)) : null;
      } finally {
        slot.release();
      }
    },
  };
}

const KINDS: Record<Kind, string> = {
  html: 'Page',
  json: 'JSON document',
  kv: 'Key-value store',
  file: 'File',
  site: 'Site',
};

/** Bytes of a page, or of a document, that a strip is made of. */
const READ_BYTES = 65_536;

/** The card of an item that everybody may read. */
export async function cardOf(
  deps: PageDependencies,
  context: RequestContext,
  record: LiveItemRecord,
): Promise<Card> {
  const { namespace, id, title, tags, kind } = record;
  const name = drawable(title, 1) === '' ? `${namespace}/${id}` : title;
  return { title: name, kind: KINDS[kind], namespace, tags, strip: await stripOf(deps, context, record) };
}

async function stripOf(
  deps: PageDependencies,
  context: RequestContext,
  record: LiveItemRecord,
): Promise<string> {
  const { sizeBytes } = record;
  if (record.kind === 'html') {
    const { bytes } = await deps.renderedPages.page(record, 'view', null, null);
    const view = new TextDecoder().decode(bytes.subarray(0, READ_BYTES));
    return firstText(view, record.content.format === 'TEXT' ? 'code' : 'p') ?? '';
  }
  if (record.kind === 'json') {
    const location = { blobKey: record.content.blobKey, offset: 0, length: sizeBytes };
    // No answer, so it holds no room of answers.
    const inside = { clientKey: context.clientKey, connection: null };
    const found = await deps.reader.read(location, { start: 0, end: sizeBytes - 1 }, inside);
    return found instanceof Uint8Array ? new TextDecoder().decode(found.subarray(0, 1_024)) : '';
  }
  if (record.kind === 'file') return `${record.content.filename} · ${formatSize(sizeBytes)}`;
  if (record.kind === 'site') return `${record.content.fileCount} files · ${formatSize(sizeBytes)}`;
  return formatSize(sizeBytes);
}

/** The facts of an item that its picture shows. */
export interface Card {
  title: string;
  /** The kind, in a word. */
  kind: string;
  namespace: string;
  tags: readonly string[];
  /** The beginning of the content, or what there is to say of it. */
  strip: string;
}

const CARD = { width: 1_200, height: 630 } as const;

/** Longest texts that a card has room for, in characters; the rest is cut off before it is laid out. */
const SHOWN = { title: 160, strip: 320, tag: 24, tags: 4 };

const COLOURS = {
  ground: '#f8fafc',
  ink: '#0f172a',
  text: '#334155',
  quiet: '#475569',
  own: '#0f766e',
  tag: '#ccfbf1',
};

/** Lays a card out. Nothing in it is markup: texts are drawn as they are. */
function cardNode({ title, kind, namespace, tags, strip }: Card): Node {
  const head = row(
    [
      text('Perch', { fontSize: 36, fontWeight: 700, color: COLOURS.own }),
      text(drawable(`${namespace} · ${kind}`, 60), { fontSize: 28, color: COLOURS.quiet }),
    ],
    { justifyContent: 'space-between', alignItems: 'center' },
  );
  const shown = tags
    .slice(0, SHOWN.tags)
    .map((tag) => drawable(tag, SHOWN.tag))
    .filter((tag) => tag !== '');
  const foot = row(
    shown.map((tag) =>
      text(`#${tag}`, {
        fontSize: 26,
        color: COLOURS.own,
        padding: '6px 16px',
        backgroundColor: COLOURS.tag,
        borderRadius: 999,
      }),
    ),
    { gap: 12, height: 48 },
  );
  return row(
    [
      head,
      text(drawable(title, SHOWN.title), { fontSize: 68, fontWeight: 700, color: COLOURS.ink, lineClamp: 3 }),
      text(drawable(strip, SHOWN.strip), { fontSize: 30, color: COLOURS.text, lineClamp: 3 }),
      foot,
    ],
    {
      flexDirection: 'column',
      justifyContent: 'space-between',
      padding: 64,
      ...CARD,
      backgroundColor: COLOURS.ground,
      fontFamily: 'Inter',
    },
  );
}

type Style = Record<string, string | number>;

const text = (value: string, style: Style): Node => ({ type: 'text', text: value, style });
const row = (children: Node[], style: Style): Node => ({
  type: 'container',
  children,
  style: { display: 'flex', ...style },
});
