import { Elysia } from 'elysia';
import { limited } from '../../admission/limited.ts';
import { ownerTokenOf, ownsItem } from '../../auth/owner-token.ts';
import { admitReadOfAny } from '../../items/authorize.ts';
import { documented } from '../../openapi/documented.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import * as operations from './openapi.ts';

/**
 * Whether the request's token owns an item (specification 15.3). It is a read by the
 * rules of reads, and counts no view: of a protected item only those who may read it learn what it is.
 */
export function ownerCheckRoutes(deps: UploadDependencies) {
  return new Elysia().use(limited(deps)).get(
    '/api/:ns/:id/owner-check',
    async ({ context, params }) => {
      const record = await admitReadOfAny(deps, context, params);
      const token = ownerTokenOf(context);
      const owner = token !== null && ownsItem(token, record.ownerHash);
      return Response.json(
        { type: record.kind, owner },
        { headers: { 'Cache-Control': 'private, no-store' } },
      );
    },
    { detail: documented(operations.check) },
  );
}
