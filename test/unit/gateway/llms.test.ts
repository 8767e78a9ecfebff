import { describe, expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { codeBlock } from '../../../services/gateway/features/discovery/llms/operation-text.ts';
import { schemaText, typeText } from '../../../services/gateway/features/discovery/llms/schema-text.ts';
import { wholeFile } from '../../../services/gateway/features/discovery/llms/whole-file.ts';
import { shortFile } from '../../../services/gateway/features/discovery/llms-routes.ts';
import { ERROR_EXAMPLES } from '../../../services/gateway/openapi/error-samples.ts';
import { describedApp, registeredRoutes, withoutNames } from '../../openapi/app.ts';

const BASE_URL = 'https://perch.test';
const RATES = { uploadsPerHour: 7, readsPerMinute: 0, changesPerHour: 600 };
const document = await describedApp(BASE_URL).document();
const whole = wholeFile(document, RATES);

/** Each section of an operation by its address. */
const sections = new Map(
  whole
    .split(/^### (?=[A-Z]+ \/)/m)
    .slice(1)
    .map((text) => {
      const [, method = '', path = ''] = /^([A-Z]+) (\S+)/.exec(text) ?? [];
      return [`${method} ${withoutNames(path)}`, text.split(/^## /m)[0] ?? ''] as const;
    }),
);

describe('the whole interface as text', () => {
  test('has every record of the service, and no other', () => {
    const routes: string[] = registeredRoutes().map(({ method, path }) => `${method} ${path}`);
    expect<string[]>([...sections.keys()].sort()).toEqual([...new Set(routes)].sort());
  });

  test('is always the same', async () => {
    expect(wholeFile(await describedApp(BASE_URL).document(), RATES)).toBe(whole);
  });

  test('says of every record what can be sent, what comes back, and what goes wrong', () => {
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        const text = sections.get(`${method.toUpperCase()} ${withoutNames(path)}`) ?? '';
        expect(text).toContain(operation.summary);
        expect(text).toContain(operation.description);
        for (const status of Object.keys(operation.responses))
          expect(text).toMatch(new RegExp(`^(?:Answer |- )${status}\\b`, 'm'));
        for (const type of Object.keys(operation.requestBody?.content ?? {}))
          expect(text).toContain(`\`${type}\`: `);
        for (const name of path.match(/(?<=\{)\w+/g) ?? []) expect(text).toContain(`- \`${name}\` (path, `);
        expect(text).toContain(`${BASE_URL}/`);
      }
    }
  });

  test('has commands without an open place', () => {
    const commands = whole.match(/```sh\n[\s\S]*?\n```/g) ?? [];
    expect(commands.length).toBe(sections.size);
    for (const command of commands) {
      expect(command).toStartWith('```sh\ncurl ');
      expect(command.split('\n')[1]).not.toMatch(/[{}]|undefined/);
    }
    expect(whole).toContain(
      `curl -X PUT '${BASE_URL}/api/kv/public/Ab3dE6gH9k/greeting' \\\n  -H 'Content-Type: application/json' \\\n  -H "X-Owner-Token: $OWNER_TOKEN" \\\n  --data-binary '{"value":"Hello again"}'`,
    );
  });

  test('has every error, schema, header and limit', () => {
    for (const { value } of Object.values(ERROR_EXAMPLES)) {
      const { status, code } = value as { status: number; code: string };
      expect(whole).toContain(`- ${status} \`${code}\`: `);
    }
    for (const name of Object.keys(document.components.schemas)) expect(whole).toContain(`\n### ${name}\n`);
    for (const name of Object.keys(document.components.headers)) expect(whole).toContain(`\n- \`${name}\``);
    expect(whole).toContain('Creates and reports from one address: 7 an hour');
    expect(whole).toContain('from one address: unlimited');
    expect(whole).not.toMatch(/undefined|\[object|NaN/);
  });
});

test('the short file says how to publish each kind, and where to read on', () => {
  const text = shortFile(BASE_URL);
  expect(text).toStartWith('# Perch\n\n> ');
  for (const kind of ['html', 'files', 'sites', 'json', 'kv'])
    expect(text).toContain(`curl ${BASE_URL}/api/${kind} `);
  expect(text).toContain(`(${BASE_URL}/llms-full.txt)`);
});

test.each([
  [Type.Integer({ minimum: 1, maximum: 30, default: 15 }), 'integer, 1 to 30, default 15'],
  [Type.Integer({ minimum: 0 }), 'integer'],
  [Type.String({ maxLength: 200 }), 'string, up to 200 characters'],
  [Type.Array(Type.String(), { minItems: 5, maxItems: 5 }), 'array of string, 5 items'],
  [Type.Union([Type.String(), Type.Null()]), 'string | null'],
  [Type.Literal('live'), '"live"'],
  [Type.Unsafe({ enum: ['a', 'b'] }), '"a" | "b"'],
  [Type.Unsafe({ $ref: '#/components/schemas/Error' }), 'Error'],
  [Type.Unsafe({ type: ['string', 'null'] }), 'string | null'],
  [Type.Unsafe({}), 'any'],
])('a schema in one line: %j', (schema, expected) => {
  expect(typeText(schema)).toBe(expected);
});

test('a schema with its fields, those of inner objects below theirs', () => {
  const inner = Type.Object({ field: Type.String({ description: 'Which.' }) });
  const schema = Type.Object(
    { code: Type.String(), details: Type.Optional(Type.Array(inner)) },
    { description: 'A issue.' },
  );
  expect(schemaText('Issue', schema)).toBe(
    '### Issue\n\nA issue.\n\n- `code` (string)\n- `details` (array of object, optional)\n  - `field` (string): Which.\n',
  );
});

test('a block stays a block, whatever is in it', () => {
  expect(codeBlock('```\nx')).toBe('````\n```\nx\n````\n');
});
