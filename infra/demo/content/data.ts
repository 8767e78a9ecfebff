import type { Random } from '../../random.ts';
import type { DemoDraft } from '../demo-item.ts';

export const STATIONS = [
  'Harbour wall',
  'North meadow',
  'Roof garden',
  'Mill pond',
  'Summit hut',
  'Lighthouse',
  'Vineyard east',
  'School yard',
];

export function measureStation(random: Random, station: string): DemoDraft {
  const base = random.between(4, 22);
  const readings = Array.from({ length: 24 }, (_, hour) => ({
    hour,
    celsius: Number((base + 5 * Math.sin((hour - 9) / 3.8) + random.next()).toFixed(1)),
    humidity: random.between(45, 95),
    windKmh: random.between(0, 38),
  }));
  const document = { station, unit: 'celsius', readings };
  return { title: `Weather at ${station}`, tags: ['weather', 'sensor'], content: { kind: 'json', document } };
}

export const SHARED_BIKES = [
  'Old Town',
  'Riverside',
  'University',
  'Station Quarter',
  'West Docks',
  'Zoo',
  'Trade Fair',
];

/** A GeoJSON collection (RFC 7946). */
export function mapBikes(random: Random, district: string): DemoDraft {
  const [west, south] = [5 + random.next() * 8, 47 + random.next() * 6];
  const features = Array.from({ length: random.between(6, 14) }, (_, n) => ({
    type: 'Feature',
    geometry: {
      type: 'Point',
      coordinates: [west + random.next() / 20, south + random.next() / 20].map((degree) =>
        Number(degree.toFixed(5)),
      ),
    },
    properties: { dock: `${district} ${n + 1}`, bikes: random.between(0, 18), docks: 20 },
  }));
  const document = { type: 'FeatureCollection', features };
  return {
    title: `Shared bikes: ${district}`,
    tags: ['geojson', 'map', 'bikes'],
    content: { kind: 'json', document },
  };
}

export const SETTINGS = [
  'Larkspur desktop',
  'Tidewatch mobile',
  'Fieldbook beta',
  'Kiosk screens',
  'Quillpad web',
  'Moraine server',
  'Harbour CLI',
];

export function writeSettings(random: Random, app: string): DemoDraft {
  const flags = ['newSearch', 'compactLists', 'offlineMaps', 'darkTheme', 'betaExport', 'quickShare'];
  const document = {
    app,
    version: random.between(1, 90),
    theme: random.pick(['light', 'dark', 'system']),
    features: Object.fromEntries(flags.map((flag) => [flag, random.chance(0.5)])),
    limits: { uploads: random.between(1, 9) * 10, retries: random.between(2, 6) },
  };
  return { title: `Settings of ${app}`, tags: ['config', 'flags'], content: { kind: 'json', document } };
}

export const BUILDS = ['larkspur', 'harbour', 'tidewatch', 'moraine', 'fieldbook', 'quillpad'];

export function watchBuild(random: Random, project: string): DemoDraft {
  const steps = ['lint', 'test', 'package'].map((step) => [
    step,
    { ok: random.chance(0.85), seconds: random.between(4, 240) },
  ]);
  const status = { state: random.pick(['passed', 'running', 'failed']), number: random.between(100, 4_000) };
  return {
    title: `Build status of ${project}`,
    tags: ['ci', 'build', project],
    content: { kind: 'kv', entries: { status, branch: 'main', ...Object.fromEntries(steps) } },
  };
}

export const SCORES = ['Table tennis ladder', 'Pub quiz', 'Step challenge', 'Boules league'];

export function keepScore(random: Random, contest: string): DemoDraft {
  const teams = random.sample(['Herons', 'Otters', 'Magpies', 'Badgers', 'Foxes', 'Wrens'], 4);
  const points = teams.map((team) => [
    team.toLowerCase(),
    { points: random.between(0, 60), played: random.between(1, 12) },
  ]);
  return {
    title: `${contest}: live scores`,
    tags: ['scores', 'live'],
    content: { kind: 'kv', entries: { leader: teams[0], ...Object.fromEntries(points) } },
  };
}

export const MACHINES = [
  'Espresso machine',
  'Workshop 3D printer',
  'Greenhouse pump',
  'Bread oven',
  'Car pool van',
];

export function watchMachine(random: Random, machine: string): DemoDraft {
  const entries = {
    state: random.pick(['idle', 'busy', 'needs water']),
    temperature: random.between(18, 96),
    runs: random.between(3, 900),
    lastService: `2026-${String(random.between(1, 11)).padStart(2, '0')}-12`,
  };
  return { title: `${machine}, right now`, tags: ['sensor', 'live'], content: { kind: 'kv', entries } };
}
