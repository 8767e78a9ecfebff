import { errors } from '../../../shared/errors.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { MemoryBudget } from './memory-budget.ts';
import { type BodyPace, readBody } from './read-body.ts';

/** Room for every field of our forms, in bytes. */
const FORM_BYTES = 65_536;

/** The fields of a form as browsers send it. @throws UNSUPPORTED_MEDIA_TYPE, VALIDATION_FAILED when it is too long */
export async function readForm(
  context: RequestContext,
  budget: MemoryBudget,
  pace?: BodyPace,
): Promise<URLSearchParams> {
  const type = context.contentType?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') {
    throw errors.unsupportedMediaType('Send the fields as application/x-www-form-urlencoded.');
  }
  const tooLarge = () =>
    errors.validationFailed([{ field: 'body', message: `has at most ${FORM_BYTES} bytes.` }]);
  return new URLSearchParams(
    new TextDecoder().decode(await readBody(context, { bytes: FORM_BYTES, tooLarge }, budget, pace)),
  );
}
