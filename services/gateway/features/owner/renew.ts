import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { renewItem } from '../../../../shared/contracts/owners.ts';
import { errors } from '../../../../shared/errors.ts';
import { readOptionalJsonObject } from '../../admission/json-body.ts';
import { limited } from '../../admission/limited.ts';
import { pick } from '../../http/parameters.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { admitChangeOfAny } from '../../items/authorize.ts';
import { instant } from '../../items/serializer.ts';
import { documented } from '../../openapi/documented.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { parseTtlDays } from '../../uploads/ttl.ts';
import * as operations from './openapi.ts';

/** Far more than a time to live needs, in bytes. */
const BODY_BYTES = 4_096;

/** A longer or shorter life for an item of any kind, counted from now (specification 15.4). */
export function renewRoutes(deps: UploadDependencies) {
  return new Elysia().use(limited(deps)).post(
    '/api/:ns/:id/renew',
    async ({ context, params }) => {
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
    { parse: 'none', detail: documented(operations.renew) },
  );
}
