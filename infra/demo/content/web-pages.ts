import type { Random } from '../../random.ts';
import type { DemoDraft } from '../demo-item.ts';

const page = (title: string, tags: string[], style: string, body: string): DemoDraft => ({
  title,
  tags,
  content: {
    kind: 'html',
    type: 'text/html',
    text: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
body { font: 17px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 44rem; padding: 2rem 1rem }
${style}
</style>
</head>
<body>
${body}
</body>
</html>
`,
  },
});

const hue = (random: Random): number => random.between(0, 359);

export const BOARDS = [
  'Ferry departures',
  'Solar roof',
  'Support desk',
  'Reading marathon',
  'Tree planting',
  'Book donations',
  'Lost and found',
];

/** A page with a chart of a week. */
export function drawBoard(random: Random, subject: string): DemoDraft {
  const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].map((day) => ({
    day,
    value: random.between(8, 96),
  }));
  const total = days.reduce((sum, { value }) => sum + value, 0);
  const colour = hue(random);
  const bars = days.map(
    ({ day, value }, n) =>
      `<rect x="${n * 60 + 8}" y="${110 - value}" width="44" height="${value}" rx="4"/><text x="${n * 60 + 30}" y="128">${day}</text>`,
  );
  return page(
    `${subject} this week`,
    ['dashboard', 'chart'],
    `svg { width: 100% } rect { fill: hsl(${colour} 60% 45%) } text { font-size: 12px; text-anchor: middle }
strong { font-size: 3rem; color: hsl(${colour} 60% 35%) }`,
    `<h1>${subject}</h1>
<p><strong>${total}</strong> this week, ${random.between(2, 30)} % ${random.pick(['more', 'fewer'])} than the last.</p>
<svg viewBox="0 0 420 132" role="img" aria-label="Each day of the week">${bars.join('')}</svg>`,
  );
}

export const EVENTS = [
  'Repair café',
  'Open-air cinema',
  'Seed swap',
  'Lantern walk',
  'Choir in the yard',
  'Chess night',
  'Flea market',
  'Story hour',
];

export function writeInvitation(random: Random, event: string): DemoDraft {
  const colour = hue(random);
  return page(
    `${event}: you are invited`,
    ['event', 'invitation'],
    `body { background: hsl(${colour} 70% 94%); text-align: center } h1 { font: 3rem Georgia, serif; color: hsl(${colour} 60% 30%) }
dl { display: inline-grid; grid-template-columns: auto auto; gap: .3rem 1rem; text-align: left } dt { font-weight: bold }`,
    `<p>Come to our</p>
<h1>${event}</h1>
<dl><dt>When</dt><dd>${random.pick(['Friday', 'Saturday', 'Sunday'])} at ${random.between(14, 20)}:00</dd>
<dt>Where</dt><dd>${random.pick(['The old fire station', 'Courtyard 7', 'The library garden', 'Pier 3'])}</dd>
<dt>Bring</dt><dd>${random.pick(['a chair', 'a friend', 'something to share', 'warm socks'])}</dd></dl>
<p>No need to answer. If it rains, we are inside.</p>`,
  );
}

export const CAFES = ['The Copper Kettle', 'Kiosk am Kanal', 'Tern & Tide', 'Salt Market', 'Nonna Pia'];

export function writeMenu(random: Random, cafe: string): DemoDraft {
  const dishes = random.sample(
    [
      'Leek tart',
      'Fish of the day',
      'Pumpkin curry',
      'Green omelette',
      'Beet burger',
      'Noodle bowl',
      'Rice pudding',
    ],
    5,
  );
  const rows = dishes.map(
    (dish) => `<tr><td>${dish}</td><td>${random.between(6, 17)}.${random.pick(['00', '50', '80'])}</td></tr>`,
  );
  return page(
    `${cafe}: menu of the week`,
    ['menu', 'food'],
    `body { background: #faf6ee; font-family: Georgia, serif } table { width: 100% } td { border-bottom: 1px dotted #998; padding: .5rem 0 }
td + td { text-align: right } h1 { letter-spacing: .05em; color: hsl(${hue(random)} 45% 30%) }`,
    `<h1>${cafe}</h1><table>${rows.join('')}</table><p><em>Bread and water are on us.</em></p>`,
  );
}

export const TOYS = [
  {
    name: 'Breathing timer',
    script: `let n = 0; setInterval(() => { n = (n + 1) % 12; out.textContent = n < 4 ? 'in' : n < 8 ? 'hold' : 'out' }, 1000)`,
  },
  {
    name: 'Dice',
    script: `out.onclick = () => { out.textContent = 1 + Math.floor(Math.random() * 6) }; out.textContent = 'roll me'`,
  },
  {
    name: 'Colour of the minute',
    script: `const paint = () => { const h = new Date().getMinutes() * 6; document.body.style.background = 'hsl(' + h + ' 70% 80%)'; out.textContent = h + '°' }; paint(); setInterval(paint, 1000)`,
  },
  {
    name: 'Words per minute',
    script: `let at = 0, count = 0; out.textContent = 'type'; onkeydown = () => { at ||= Date.now(); out.textContent = Math.round(++count / 5 / ((Date.now() - at + 1000) / 60000)) }`,
  },
];

/** A page with a script of its own, which runs in its sandbox. */
export function writeToy(random: Random, { name, script }: (typeof TOYS)[number]): DemoDraft {
  return page(
    name,
    ['toy', 'javascript'],
    `output { display: grid; place-items: center; height: 60vh; font-size: 5rem; color: hsl(${hue(random)} 50% 35%); cursor: pointer }`,
    `<h1>${name}</h1><output id="shown"></output>
<script>const out = document.getElementById('shown'); ${script}</script>`,
  );
}
