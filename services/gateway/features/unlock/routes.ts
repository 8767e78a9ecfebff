import { Elysia } from 'elysia';
import { errors } from '../../../../shared/errors.ts';
import { readForm } from '../../admission/form-body.ts';
import { destinationAddress } from '../../http/destination.ts';
import { exchangeOf } from '../../http/request-context.ts';
import { findLiveItem } from '../../items/find-live-item.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

/** The password form of a protected item: a right password sets the unlock cookie and leads to the item. */
export function unlockRoutes(deps: UploadDependencies) {
  return new Elysia().post(
    '/api/:ns/:id/unlock',
    async ({ request, params }) => {
      const exchange = exchangeOf(request);
      await deps.limits.admit(exchange, 'reads');
      const { route } = await findLiveItem(deps, exchange, params);
      const fields = await readForm(exchange, deps.budget);
      deps.unlockForms.requireForm(exchange, route, fields.get('mark') ?? '');
      const headers: Record<string, string> = {
        Location: destinationAddress(route, fields.get('to') ?? ''),
        'Cache-Control': 'no-store',
      };
      if (route.passwordHash !== null) {
        const password = fields.get('password') ?? '';
        if (password === '') throw errors.passwordRequired();
        await deps.passwords.verify(route, route.passwordHash, password, exchange.clientKey);
        headers['Set-Cookie'] = deps.cookies.issue(route);
      }
      return new Response(null, { status: 303, headers });
    },
    { parse: 'none' },
  );
}
