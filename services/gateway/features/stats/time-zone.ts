import { errors } from '../../../../shared/errors.ts';

/** A name of the IANA database such as `America/Port-au-Prince`; offsets such as `+02:00` are none. */
const NAME = /^[a-z][\w+-]*(?:\/[\w+-]+)*$/i;
const MAX_CHARACTERS = 100;

/**
 * When the current day began in a time zone (both moments in ms since the epoch): where clocks skip midnight, it is the
 * first moment of the day. @throws VALIDATION_FAILED when there is no such time zone
 */
export function startOfDay(now: number, timeZone: string): number {
  const unknown = () =>
    errors.validationFailed([
      { field: 'tz', message: 'must be the name of a time zone such as Europe/Berlin. Default UTC.' },
    ]);
  if (timeZone.length > MAX_CHARACTERS || !NAME.test(timeZone)) throw unknown();
  try {
    return Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).startOfDay()
      .epochMilliseconds;
  } catch (error) {
    if (error instanceof RangeError) throw unknown();
    throw error;
  }
}
