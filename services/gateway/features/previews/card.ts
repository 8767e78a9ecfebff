import type { Node } from '@takumi-rs/core';
import { drawable } from '../../../../shared/pictures/drawable.ts';

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

export const CARD = { width: 1_200, height: 630 } as const;

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
export function cardNode({ title, kind, namespace, tags, strip }: Card): Node {
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
      ...{ flexDirection: 'column', justifyContent: 'space-between', padding: 64, ...CARD },
      ...{ backgroundColor: COLOURS.ground, fontFamily: 'Inter' },
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
