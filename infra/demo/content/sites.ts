import type { Random } from '../../random.ts';
import type { DemoDraft } from '../demo-item.ts';

export const SITES = [
  {
    name: 'Bakery Three Ears',
    line: 'Bread at six, cake at ten, closed when the shelves are empty.',
    tags: ['bakery', 'shop'],
  },
  { name: 'The Paper Lanterns', line: 'Songs for five voices and one accordion.', tags: ['band', 'music'] },
  {
    name: 'Climbing Club Gneiss',
    line: 'Tuesdays indoors, weekends outside, beginners always.',
    tags: ['club', 'sport'],
  },
  { name: 'Museum of Lost Keys', line: 'Four thousand keys, not one door.', tags: ['museum', 'culture'] },
  { name: 'Orchard Diary', line: 'One year among forty-one old apple trees.', tags: ['diary', 'garden'] },
  {
    name: 'Studio Halfway Up',
    line: 'Clay, glaze and patience, on the third floor.',
    tags: ['pottery', 'studio'],
  },
  { name: 'Ferry 14', line: 'The smallest timetable in town.', tags: ['timetable', 'boat'] },
];

/** A site of a few pages with a style, a script, a drawing, data that the script loads, and a page for what is missing. */
export function buildSite(random: Random, { name, line, tags }: (typeof SITES)[number]): DemoDraft {
  const hue = random.between(0, 359);
  const news = random.sample(
    [
      'New opening hours from Monday',
      'Photos of the summer party',
      'We look for helpers',
      'The roof is finished',
      'Vouchers at the counter',
    ],
    3,
  );
  const shell = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<link rel="stylesheet" href="style/main.css"><script type="module" src="script/news.js"></script></head>
<body><header><img src="images/mark.svg" alt="" width="48"><a href="index.html">${name}</a>
<nav><a href="about.html">About</a> <a href="visit.html">Visit</a></nav></header>
<main>${body}</main></body>
</html>
`;
  const files = {
    'index.html': shell(name, `<h1>${line}</h1><h2>News</h2><ul id="news"></ul>`),
    'about.html': shell(
      `About ${name}`,
      `<h1>About us</h1><p>We began in ${random.between(1948, 2019)} with ${random.between(2, 9)} people and a borrowed key.</p>`,
    ),
    'visit.html': shell(
      `Visit ${name}`,
      `<h1>Visit</h1><p>Tram ${random.between(1, 19)}, stop “${random.pick(['Market', 'Mill Bridge', 'Town Baths'])}”. Open ${random.between(6, 11)} to ${random.between(16, 20)}.</p>`,
    ),
    '404.html': shell(
      'Not here',
      '<h1>This page has moved out</h1><p><a href="index.html">Start again</a></p>',
    ),
    'style/main.css': `body { font: 18px/1.6 Georgia, serif; margin: 0; color: #222; background: hsl(${hue} 40% 96%) }
header { display: flex; gap: 1rem; align-items: center; padding: 1rem; background: hsl(${hue} 45% 30%) }
header a { color: white; text-decoration: none } nav { margin-left: auto }
main { max-width: 40rem; margin: 2rem auto; padding: 0 1rem }
`,
    'script/news.js': `const list = document.getElementById('news');
if (list !== null) {
  const news = await (await fetch('data/news.json')).json();
  list.append(...news.map((text) => Object.assign(document.createElement('li'), { textContent: text })));
}
`,
    'images/mark.svg': `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><circle cx="24" cy="24" r="22" fill="hsl(${(hue + 150) % 360} 60% 60%)"/><path d="M12 32L24 10L36 32z" fill="white"/></svg>
`,
    'data/news.json': `${JSON.stringify(news)}\n`,
  };
  return { title: name, tags: ['site', ...tags], content: { kind: 'site', files } };
}
