import { Elysia } from 'elysia';
import { callToRead } from '../../../../shared/contracts/call-to-read.ts';
import { resolveCode } from '../../../../shared/contracts/content.ts';
import { errors } from '../../../../shared/errors.ts';
import { limited } from '../../admission/limited.ts';
import { documented } from '../../openapi/documented.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import * as operations from './openapi.ts';

const CODE = /^[A-Za-z0-9]{7}$/;

/** The short form of every item's address (specification 9.7). */
export function shortCodeRoutes(deps: UploadDependencies) {
  const { bus, config } = deps;
  return new Elysia().use(limited(deps)).get(
    '/s/:code',
    async ({ context, params: { code } }) => {
      if (!CODE.test(code)) throw errors.codeNotFound(code.slice(0, 40));
      const target = await callToRead(bus, resolveCode, { code }, context.callContext);
      if (target.state === 'gone') throw errors.codeGone(code);
      if (target.state === 'missing') throw errors.codeNotFound(code);
      const { namespace, id, kind } = target;
      context.item = kind === undefined ? null : { kind, namespace, id };
      const headers = {
        Location: `${config.baseUrl}/${namespace}/${id}${context.querySuffix}`,
        'Cache-Control': 'no-cache',
      };
      return new Response(null, { status: 302, headers });
    },
    { limit: 'reads', detail: documented(operations.follow, 'link') },
  );
}
