import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { renewItem } from '../../../../shared/contracts/owners.ts';
import { errors } from '../../../../shared/errors.ts';
import { readOptionalJsonObject } from '../../admission/json-body.ts';
import { pick } from '../../http/parameters.ts';
import { requestContextOf } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { admitChangeOfAny } from '../../items/authorize.ts';
import { instant } from '../../items/serializer.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { parseTtlDays } from '../../uploads/ttl.ts';

/** Far more than a time to live needs, in bytes. */
const BODY_BYTES = 4_096;

/** A longer or shorter life for an item of any kind, counted from now (specification 15.4). */
export function renewRoutes(deps: UploadDependencies) {
  return new Elysia().post(
    '/api/:ns/:id/renew',
    async ({ request, params }) => {
      const context = requestContextOf(request);
      const owned = await admitChangeOfAny(deps, context, params);
      const tooLarge = () =>
        errors.validationFailed([{ field: 'body', message: `has at most ${BODY_BYTES} bytes.` }]);
      const fields = await readOptionalJsonObject(context, { bytes: BODY_BYTES, tooLarge }, deps.budget);
      const issues = collectIssues();
      const wanted = pick(context.query(), fields, ['ttl', 'ttlDays']);
      const asked = wanted === null ? null : parseTtlDays(wanted, issues);
      issues.throwIfAny();
      const input = { ...owned, ttlDays: asked };
      const { ttlDays, expiresAt } = await call(deps.bus, renewItem, input, context.callContext);
      return Response.json({ expiresAt: instant(expiresAt), ttlDays });
    },
    { parse: 'none' },
  );
}
