import { Elysia } from 'elysia';
import { currentContext, requestScope } from '../../http/request-context.ts';
import type { AdminDependencies } from './dependencies.ts';

/** For routes of the operator alone: `context`, and no handler runs without the admin password. */
export const admitted = ({ admin }: Pick<AdminDependencies, 'admin'>) =>
  new Elysia({ name: 'admitted' })
    .use(requestScope)
    .onBeforeHandle({ as: 'scoped' }, () => admin.admit(currentContext()))
    .as('scoped');
