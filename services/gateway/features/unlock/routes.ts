import { Elysia } from 'elysia';
import { errors } from '../../../../shared/errors.ts';
import { readForm } from '../../admission/form-body.ts';
import { destinationAddress } from '../../http/destination.ts';
import { requestContextOf } from '../../http/request-context.ts';
import { findLiveItem } from '../../items/find-live-item.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

/** The password form of a protected item: a right password sets the unlock cookie and leads to the item. */
export function unlockRoutes(deps: UploadDependencies) {
  return new Elysia().post(
    '/api/:ns/:id/unlock',
    async ({ request, params }) => {
      const context = requestContextOf(request);
      await deps.limits.admit(context, 'reads');
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
    { parse: 'none' },
  );
}
