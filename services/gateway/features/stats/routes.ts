import { Elysia } from 'elysia';
import { callToRead } from '../../../../shared/contracts/call-to-read.ts';
import { readStats } from '../../../../shared/contracts/stats.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { documented } from '../../openapi/documented.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import * as operations from './openapi.ts';
import { type Stats, statsShape } from './serializer.ts';
import { statsPage } from './stats-page.ts';
import { startOfDay } from './time-zone.ts';

/** What the service has done so far (specification 14.1). */
export function statsRoutes(deps: UploadDependencies) {
  const { bus, clock, config } = deps;
  const read = async (context: RequestContext, timeZone: string): Promise<Stats> => {
    const todayFrom = startOfDay(clock.now(), timeZone);
    return statsShape(await callToRead(bus, readStats, { todayFrom }, context.callContext));
  };

  return new Elysia()
    .use(limited(deps))
    .get(
      '/api/stats',
      async ({ context }) => {
        const stats = await read(context, context.query().get('tz')?.trim() || 'UTC');
        return Response.json(stats, { headers: { 'Cache-Control': 'no-cache' } });
      },
      { limit: 'reads', detail: documented(operations.read) },
    )
    .get(
      '/stats',
      async ({ context }) => {
        return servicePage(context, statsPage(await read(context, 'UTC'), config.baseUrl));
      },
      { limit: 'reads', detail: documented(operations.show, 'page') },
    );
}
