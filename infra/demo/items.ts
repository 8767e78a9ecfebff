import { createDeck, type Random } from '../random.ts';
import * as data from './content/data.ts';
import * as notes from './content/notes.ts';
import * as papers from './content/papers.ts';
import * as pictures from './content/pictures.ts';
import { RECIPES, writeRecipe } from './content/recipes.ts';
import { buildSite, SITES } from './content/sites.ts';
import * as pages from './content/web-pages.ts';
import type { DemoContent, DemoDraft, DemoItem } from './demo-item.ts';

type Kind = DemoContent['kind'];

/** Writes one thing after the other. */
type Author = () => DemoDraft;

const NAMESPACES = ['harbour-kitchen', 'north-lab', 'team-lark', 'weekend-walks'];

const PASSWORDS = ['lantern-7', 'open sesame', 'blue heron', 'kettle & cup'];

/** Share of items of each kind, in parts of all. */
const SHARES: Record<Kind, number> = { html: 9, json: 3, kv: 2, file: 5, site: 1 };

/** Generates the items of a demo. The first five are one listed item of each kind, whatever the seed. */
export function inventItems(random: Random, count: number): DemoItem[] {
  const authors = hireAuthors(random);
  const kinds = Object.keys(SHARES) as Kind[];
  const nextKind = createDeck(
    random,
    kinds.flatMap((kind) => Array<Kind>(SHARES[kind]).fill(kind)),
  );
  return Array.from({ length: count }, (_, n) => {
    const first = kinds[n];
    const draft = authors[first ?? nextKind().card]();
    const open = first !== undefined || random.chance(0.8);
    return {
      ...draft,
      ttlDays: random.pick([1, 3, 7, 7, 14, 15, 30, 30]),
      namespace: open || random.chance(0.4) ? null : random.pick(NAMESPACES),
      password: open || random.chance(0.5) ? null : random.pick(PASSWORDS),
    };
  });
}

/** An author for each kind, who writes all samples of the kind before any of them comes again. */
function hireAuthors(random: Random): Record<Kind, Author> {
  return {
    html: author(random, [
      ...each(RECIPES, writeRecipe),
      ...each(notes.RUNBOOKS, notes.writeRunbook),
      ...each(notes.PRODUCTS, notes.writeRelease),
      ...each(notes.WALKS, notes.writeWalk),
      ...each(notes.TEAMS, notes.writeMinutes),
      ...each(pages.BOARDS, pages.drawBoard),
      ...each(pages.EVENTS, pages.writeInvitation),
      ...each(pages.CAFES, pages.writeMenu),
      ...each(pages.TOYS, pages.writeToy),
    ]),
    json: author(random, [
      ...each(data.STATIONS, data.measureStation),
      ...each(data.SHARED_BIKES, data.mapBikes),
      ...each(data.SETTINGS, data.writeSettings),
    ]),
    kv: author(random, [
      ...each(data.BUILDS, data.watchBuild),
      ...each(data.SCORES, data.keepScore),
      ...each(data.MACHINES, data.watchMachine),
    ]),
    file: author(random, [
      ...each(pictures.PAINTINGS, pictures.paint),
      ...each(pictures.CONSTELLATIONS, pictures.drawConstellation),
      ...each(papers.TABLES, papers.fillTable),
      ...each(papers.LEAFLETS, papers.printLeaflet),
      ...each(papers.LOGS, papers.keepLog),
    ]),
    site: author(random, each(SITES, buildSite)),
  };
}

/** Writes about one subject. */
type Topic = (random: Random) => DemoDraft;

const each = <T>(subjects: readonly T[], write: (random: Random, subject: T) => DemoDraft): Topic[] =>
  subjects.map((subject) => (random) => write(random, subject));

function author(random: Random, topics: Topic[]): Author {
  const draw = createDeck(random, topics);
  return () => {
    const { card, round } = draw();
    const draft = card(random);
    return round === 1 ? draft : { ...draft, title: `${draft.title} (${round})` };
  };
}
