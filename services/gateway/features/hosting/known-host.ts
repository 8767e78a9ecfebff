import { Elysia } from 'elysia';
import { errors } from '../../../../shared/errors.ts';
import { isVisible } from '../../../../shared/items/item-record.ts';
import { requestScope } from '../../http/request-context.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation, Parameter } from '../../openapi/operation.ts';
import { inQuery, text } from '../../openapi/parameters/parts.ts';
import { failures } from '../../openapi/responses.ts';

/** Longer names are none (RFC 1035, section 2.3.4). */
const MAX_CHARACTERS = 253;

const DOMAIN: Parameter = {
  ...inQuery('domain', 'The name of a host.', text('localhost', MAX_CHARACTERS)),
  required: true,
};

const OPERATION: Operation = {
  operationId: 'knowsHost',
  summary: 'Whether a name is a host of this service',
  description:
    'For a proxy that gets certificates on demand, which must not get them for made-up names. Keep it in the internal network, as the metrics.',
  tags: ['Service'],
  security: [],
  parameters: [DOMAIN],
  responses: {
    '200': ok(
      'It is the host of a live item, the verified domain of one, or a host of the service.',
      json('KnownHost', { known: { status: 'known' } }),
    ),
    ...failures(['NOT_FOUND'], { open: true }),
  },
  'x-example-requests': [
    { summary: 'The own machine', status: 200, query: { domain: 'localhost' } },
    { summary: 'A host of nobody', status: 404, query: { domain: 'nobody.perch-content.example' } },
  ],
};

/** The question of a proxy before it asks for a certificate (specification 20.1). */
export const knownHostRoutes = ({ config, itemHosts, labels, domains, lookup, clock }: ReadDependencies) =>
  new Elysia().use(requestScope).get(
    '/metrics/known-host',
    async ({ context }) => {
      const name = context.query().get('domain') ?? '';
      const own = [config.baseUrl, config.contentBaseUrl, 'http://localhost'].filter(
        (address) => address !== null,
      );
      if (own.some((address) => new URL(address).hostname === name))
        return Response.json({ status: 'known' });
      const label = name.length > MAX_CHARACTERS ? null : itemHosts.labelIn(name);
      const domain = label === null ? domains.nameIn(name) : null;
      const held = domain === null ? null : await domains.ask(domain, context.callContext);
      // Without its TXT record the domain may have changed hands, so it does not count.
      const holder = held?.isVerified === true ? held.item : null;
      const item = label === null ? holder : await labels.find(label, context.callContext);
      const { record } = item === null ? { record: null } : await lookup.find(item, context.callContext);
      if (!isVisible(record, clock.now())) throw errors.routeNotFound(context.path);
      if (label === null ? record.domain !== domain : record.label !== label)
        throw errors.routeNotFound(context.path);
      return Response.json({ status: 'known' });
    },
    { detail: documented(OPERATION, 'probe') },
  );
