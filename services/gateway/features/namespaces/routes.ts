import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { CallContext } from '../../../../shared/call-context.ts';
import { call } from '../../../../shared/contracts/call.ts';
import { findUnusedNamespaces } from '../../../../shared/contracts/content.ts';
import { errors } from '../../../../shared/errors.ts';
import type { Bus } from '../../../../shared/ports/bus.ts';
import { limited } from '../../admission/limited.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { answer, NAME } from '../../openapi/schema-parts.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { namesLike, randomNames } from './candidates.ts';

const SUGGESTIONS = 5;
/** Candidates asked about at once: the first ones of a popular name may be taken. */
const CANDIDATES = 24;
const MAX_ATTEMPTS = 3;
const headers = { 'Cache-Control': 'no-store' };

export const NAMESPACE_SCHEMAS: Record<string, TSchema> = {
  RandomNamespace: answer('A name that nobody used when it was asked for.', { namespace: NAME.namespace }),
  NamespaceSuggestions: answer('Names that nobody used when they were asked for, best first.', {
    suggestions: Type.Array(NAME.namespace, {
      minItems: SUGGESTIONS,
      maxItems: SUGGESTIONS,
      uniqueItems: true,
    }),
  }),
};

const RANDOM_NAMESPACE: Operation = {
  operationId: 'randomNamespace',
  summary: 'A free namespace',
  description: 'A name that nothing is in at this moment. It is not kept for you: the first create takes it.',
  tags: ['Namespaces'],
  security: [],
  parameters: parameters(),
  responses: {
    '200': ok('A name.', json('RandomNamespace', { name: { namespace: 'brave-kestrel-36' } }), [
      ['Cache-Control'],
    ]),
    ...failures(['RATE_LIMITED']),
  },
  'x-example-requests': [{ summary: 'A name', status: 200 }],
};

const SUGGEST_NAMESPACES: Operation = {
  operationId: 'suggestNamespaces',
  summary: 'Free namespaces like a text',
  description:
    'Five names that nothing is in at this moment, made of a text: in lower case, accents folded, all but letters and digits turned into hyphens. Random ones when nothing is left of it.',
  tags: ['Namespaces'],
  security: [],
  parameters: parameters('NameLike'),
  responses: {
    '200': ok(
      'Names, best first.',
      json('NamespaceSuggestions', {
        names: {
          suggestions: [
            'cafe-notes',
            'cafe-notes-heron',
            'cafe-notes-tern',
            'cafe-notes-7k2p',
            'cafe-notes-x9dw',
          ],
        },
      }),
      [['Cache-Control']],
    ),
    ...failures(['RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'For a text', status: 200, query: { q: 'Café notes' } },
    { summary: 'Without one', status: 200 },
  ],
};

/** Names for namespaces that nobody uses yet (specification, chapter 16). */
export function namespaceRoutes(deps: UploadDependencies) {
  const { bus } = deps;
  return new Elysia({ prefix: '/api/namespace' })
    .use(limited(deps))
    .get(
      '/random',
      async ({ context }) => {
        const namespace = await randomNamespace(bus, context.callContext);
        return Response.json({ namespace }, { headers });
      },
      { limit: 'reads', detail: documented(RANDOM_NAMESPACE) },
    )
    .get(
      '/suggest',
      async ({ context }) => {
        const text = context.query().get('q') ?? '';
        const propose = (count: number, attempt: number) => namesLike(text, count, attempt);
        const suggestions = await findUnused(bus, context.callContext, SUGGESTIONS, propose);
        return Response.json({ suggestions }, { headers });
      },
      { limit: 'reads', detail: documented(SUGGEST_NAMESPACES) },
    );
}

/** A random name that nothing is in now. @throws UNAVAILABLE */
export async function randomNamespace(bus: Bus, context: CallContext): Promise<string> {
  const [namespace = ''] = await findUnused(bus, context, 1, randomNames);
  return namespace;
}

/**
 * Finds `count` different namespaces that are empty now. They are not reserved: another client may take one at any time.
 * @param propose makes new candidates at each attempt, counted from 1; best first
 * @throws UNAVAILABLE when `MAX_ATTEMPTS` attempts did not find enough
 */
async function findUnused(
  bus: Bus,
  context: CallContext,
  count: number,
  propose: (count: number, attempt: number) => string[],
): Promise<string[]> {
  const found = new Set<string>();
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const { unused } = await call(
      bus,
      findUnusedNamespaces,
      { candidates: propose(CANDIDATES, attempt) },
      context,
    );
    for (const name of unused) found.add(name);
    if (found.size >= count) return [...found].slice(0, count);
  }
  throw errors.unavailable('no free namespace was found');
}
