import { Elysia } from 'elysia';
import { errors } from '../../../../shared/errors.ts';
import { readForm } from '../../admission/form-body.ts';
import { limited } from '../../admission/limited.ts';
import { destinationAddress } from '../../http/destination.ts';
import { findLiveItem } from '../../items/find-live-item.ts';
import { documented } from '../../openapi/documented.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import * as operations from './openapi.ts';

/** The password form of a protected item: a right password sets the unlock cookie and leads to the item. */
export function unlockRoutes(deps: UploadDependencies) {
  return new Elysia().use(limited(deps)).post(
    '/api/:ns/:id/unlock',
    async ({ context, params }) => {
      const { record } = await findLiveItem(deps, context, params);
      const fields = await readForm(context, deps.budget);
      deps.unlockForms.requireForm(context, record, fields.get('mark') ?? '');
      const headers: Record<string, string> = {
        Location: destinationAddress(record, fields.get('to') ?? ''),
        'Cache-Control': 'no-store',
      };
      if (record.passwordHash !== null) {
        const password = fields.get('password') ?? '';
        if (password === '') throw errors.passwordRequired();
        await deps.passwords.verify(record, record.passwordHash, password, context.clientKey);
        headers['Set-Cookie'] = deps.cookies.issue(record);
      }
      return new Response(null, { status: 303, headers });
    },
    { limit: 'reads', parse: 'none', detail: documented(operations.unlock, 'form') },
  );
}
