import { expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compilerFaults } from './compile.ts';

setDefaultTimeout(120_000);

const DASHBOARDS = resolve(import.meta.dirname, '../../infra/grafana/dashboards');

/** Modules of Grafana's schema for the panels that the dashboards use, and whether they have fields of their own. */
const PANELS: Record<string, { module: string; hasFields: boolean }> = {
  stat: { module: 'stat/panelcfg/x/StatPanelCfg_types.gen', hasFields: false },
  table: { module: 'table/panelcfg/x/TablePanelCfg_types.gen', hasFields: true },
  timeseries: { module: 'timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen', hasFields: true },
  'state-timeline': { module: 'statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen', hasFields: true },
};

interface Json {
  panels: Array<{ id: number; type: string; title: string }>;
}

const read = (name: string): Json => JSON.parse(readFileSync(`${DASHBOARDS}/${name}.json`, 'utf8')) as Json;

/** In JSON an enum is its value, and Grafana fills in the fields that are left out. */
const PLAIN = `type Plain<T> =
  0 extends 1 & T ? unknown
  : T extends string ? \`\${T}\`
  : T extends number ? (\`\${T}\` extends \`\${infer N extends number}\` ? N : number)
  : T extends ReadonlyArray<infer U> ? Plain<U>[]
  : T extends object ? { [K in keyof T]?: Plain<T[K]> }
  : T;`;

/** The dashboard without its panels, and each panel, as literals of Grafana's own types. */
function modulesOf(name: string, { panels, ...dashboard }: Json): Record<string, string> {
  const frame = `import type { Dashboard } from '@grafana/schema';\n${PLAIN}\nexport const value: Plain<Dashboard> = ${JSON.stringify(dashboard, null, 1)};`;
  const ofPanels = panels.map((panel) => {
    const known = PANELS[panel.type];
    if (known === undefined) throw new Error(`${panel.title}: no schema is known for ${panel.type}`);
    const custom = known.hasFields ? 'Cfg.FieldConfig' : 'never';
    const text = [
      "import type { FieldConfig, FieldConfigSource, Panel } from '@grafana/schema';",
      `import type * as Cfg from '@grafana/schema/dist/esm/raw/composable/${known.module}';`,
      PLAIN,
      `type Defaults = Omit<FieldConfig, 'custom'> & { custom: ${custom} };`,
      "type Fields = Omit<FieldConfigSource, 'defaults'> & { defaults: Defaults };",
      "type Own = Omit<Panel, 'options' | 'fieldConfig'> & { options: Cfg.Options; fieldConfig: Fields };",
      `export const value: Plain<Own> = ${JSON.stringify(panel, null, 1)};`,
    ];
    return [`${name}-${panel.id}-${panel.title.replaceAll(/\W+/g, '-')}`, text.join('\n')];
  });
  return { [name]: frame, ...Object.fromEntries(ofPanels) };
}

test('the dashboards are what the schema of Grafana allows: no unknown field, and no unknown value', async () => {
  const modules = { ...modulesOf('perch', read('perch')), ...modulesOf('operations', read('operations')) };
  expect(Object.keys(modules).length).toBeGreaterThan(30);
  expect(await compilerFaults(modules)).toEqual([]);
});

test('a misspelt field and an unknown value are found', async () => {
  const panel = { id: 1, type: 'stat', title: 'Wrong' };
  const wrong = [
    { ...panel, titel: 'Wrong' },
    { ...panel, id: 2, options: { colorMode: 'colourful' } },
    { ...panel, id: 3, type: 'timeseries', fieldConfig: { defaults: { custom: { lineWidht: 1 } } } },
  ];
  const faults = await compilerFaults({
    ...modulesOf('panels', { panels: wrong }),
    ...modulesOf('frame', { panels: [], refesh: '1m' } as Json),
  });
  for (const name of ['titel', 'colourful', 'lineWidht', 'refesh']) expect(faults.join('\n')).toContain(name);
});
