import type { Random } from '../../random.ts';
import type { DemoDraft } from '../demo-item.ts';

const markdown = (title: string, tags: string[], text: string): DemoDraft => ({
  title,
  tags,
  content: { kind: 'html', type: 'text/markdown', text },
});

export const RUNBOOKS = [
  { service: 'Mail relay', symptom: 'the queue grows', check: 'mailq | tail -1', cure: 'postqueue -f' },
  {
    service: 'Build farm',
    symptom: 'jobs wait',
    check: 'df -h /var/cache',
    cure: 'systemctl restart runner',
  },
  {
    service: 'Search index',
    symptom: 'results are old',
    check: 'index-age --hours',
    cure: 'index-rebuild --hot',
  },
  {
    service: 'Backup host',
    symptom: 'a night is missing',
    check: 'ls -t /backup',
    cure: 'backup --since yesterday',
  },
  { service: 'Print server', symptom: 'nothing prints', check: 'lpstat -t', cure: 'cupsenable upstairs' },
];

export function writeRunbook(random: Random, { service, symptom, check, cure }: (typeof RUNBOOKS)[number]) {
  const title = `Runbook: ${service}`;
  return markdown(
    title,
    ['runbook', 'operations', service.toLowerCase()],
    `# ${title}

| | |
|---|---|
| Symptom | ${symptom} |
| Wakes | whoever is on call, after ${random.between(5, 30)} minutes |
| Seen | ${random.between(2, 9)} times this year |

## Look

\`\`\`sh
${check}
\`\`\`

## Act

1. Say in the channel that you are on it.
2. \`${cure}\`
3. Watch for ${random.between(5, 20)} minutes.[^1]

[^1]: It has come back within ten minutes before.
`,
  );
}

const CHANGES = [
  'Search finds words without their accents',
  'Lists load in half the time',
  'A dark theme that follows the system',
  'Exports keep the order of columns',
  'Undo works across a restart',
  'Keyboard shortcuts can be changed',
  'Large images no longer stall the page',
  'Times are shown in your own zone',
  'An import tells which line is wrong',
  'Sign-in survives a change of network',
];

export const PRODUCTS = ['Larkspur', 'Harbour', 'Tidewatch', 'Fieldbook', 'Quillpad', 'Moraine'];

export function writeRelease(random: Random, product: string) {
  const version = `${random.between(1, 6)}.${random.between(0, 14)}.0`;
  const [added = [], fixed = []] = [random.sample(CHANGES, 3), random.sample(CHANGES, 2)];
  const title = `${product} ${version}`;
  return markdown(
    title,
    ['release', product.toLowerCase()],
    `# ${title}

## New

${added.map((line) => `- ${line}`).join('\n')}

## Fixed

${fixed.map((line) => `- ${line}, also with ${random.between(2, 40)}00 rows`).join('\n')}

Update with \`${product.toLowerCase()} self-update --to ${version}\`. ~~The beta channel~~ is closed.
`,
  );
}

export const WALKS = [
  'Heron Lake',
  'the Old Railway',
  'Three Mills',
  'Windmill Ridge',
  'the Salt Path',
  'Fox Wood',
];

export function writeWalk(random: Random, place: string) {
  const km = random.between(6, 24);
  const title = `A day out: ${place}`;
  const sights = [
    'a kingfisher',
    'the ruined tower',
    'a bench with a view',
    'wild garlic',
    'an honesty box of apples',
  ];
  return markdown(
    title,
    ['walk', 'outdoors', 'weekend'],
    `# ${title}

**${km} km**, ${random.between(80, 640)} m up, ${Math.ceil(km / 4)} hours without hurry.

1. From the station turn ${random.pick(['left', 'right'])} and follow the blue marks.
2. After ${random.between(2, 5)} km the path leaves the road.
3. Lunch where the two streams meet.
4. Back by the ${random.pick(['ridge', 'river', 'orchards'])}.

We saw ${random.sample(sights, 3).join(', ')}.

![The profile of the day](data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20viewBox='0%200%2040%2010'%3E%3Cpath%20fill='%237a9a7e'%20d='M0%2010L8%206L15%208L26%202L40%2010z'/%3E%3C/svg%3E)
`,
  );
}

export const TEAMS = ['Kitchen', 'Website', 'Garden', 'Library', 'Youth club', 'Bike workshop', 'Allotment'];

export function writeMinutes(random: Random, team: string) {
  const people = random.sample(['Ada', 'Bilal', 'Chiara', 'Dmitri', 'Esi', 'Femke', 'Goran', 'Hana'], 4);
  const decisions = random.sample(
    [
      'We open on Saturdays from March on.',
      'The old printer goes; nobody will miss it.',
      'Every key gets a label this week.',
      'The budget for paint is doubled.',
      'Visitors may stay until nine.',
      'We meet every second Tuesday.',
    ],
    3,
  );
  const title = `${team} meeting, week ${random.between(1, 52)}`;
  return markdown(
    title,
    ['minutes', team.toLowerCase()],
    `# ${title}

Present: ${people.join(', ')}.

## Decided

${decisions.map((line) => `- ${line}`).join('\n')}

## Next

| who | what | until |
|---|---|---|
${people.map((who) => `| ${who} | ${random.pick(['asks around', 'writes it up', 'buys it', 'tries it'])} | ${random.pick(['Friday', 'next week', 'the end of the month'])} |`).join('\n')}
`,
  );
}
