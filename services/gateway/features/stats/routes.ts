import { Elysia } from 'elysia';
import { callToRead } from '../../../../shared/contracts/call-to-read.ts';
import { readStats } from '../../../../shared/contracts/stats.ts';
import { type RequestContext, requestContextOf } from '../../http/request-context.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { type Stats, statsShape } from './serializer.ts';
import { statsPage } from './stats-page.ts';
import { startOfDay } from './time-zone.ts';

/** What the service has done so far (specification 14.1). */
export function statsRoutes({ bus, limits, clock, config }: UploadDependencies) {
  const read = async (context: RequestContext, timeZone: string): Promise<Stats> => {
    const todayFrom = startOfDay(clock.now(), timeZone);
    return statsShape(await callToRead(bus, readStats, { todayFrom }, context.callContext));
  };

  return new Elysia()
    .get('/api/stats', async ({ request }) => {
      const context = requestContextOf(request);
      await limits.admit(context, 'reads');
      const stats = await read(context, context.query().get('tz')?.trim() || 'UTC');
      return Response.json(stats, { headers: { 'Cache-Control': 'no-cache' } });
    })
    .get('/stats', async ({ request }) => {
      const context = requestContextOf(request);
      await limits.admit(context, 'reads');
      return servicePage(context, statsPage(await read(context, 'UTC'), config.baseUrl));
    });
}
