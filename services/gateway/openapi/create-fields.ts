import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../../shared/items/item.ts';
import { NAMESPACE_NAME } from './parameters/parts.ts';
import { CHARACTERS, orBlank } from './text-patterns.ts';

/** A text of our JSON bodies that counts as left out when it is empty or null. */
export const optionalText = (options: object) =>
  Type.Optional(Type.Unsafe({ type: ['string', 'null'], ...options }));

const days = (description: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.Integer({ minimum: LIMITS.ttlDaysMin, maximum: LIMITS.ttlDaysMax }),
        Type.String({ pattern: orBlank(CHARACTERS.days) }),
        Type.Null(),
      ],
      { description },
    ),
  );

/** A time to live under both its names. */
export const DAYS_IN_BODY = {
  ttl: days('Days, as 7, `7d` or `7 days`.'),
  ttlDays: days('Counts when there is no `ttl`.'),
  ttl_days: days('Counts when there is neither of them.'),
};

const namespace = (description: string) => optionalText({ ...NAMESPACE_NAME, description });
const tagText = Type.String({ pattern: CHARACTERS.tags });

/** The names that our JSON bodies accept beside the query's (specification 3.1). */
export const CREATE_IN_BODY = {
  ns: namespace('Where to put the item.'),
  namespace: namespace('Counts when there is no `ns`.'),
  id: optionalText({ pattern: orBlank(CHARACTERS.id) }),
  tags: Type.Optional(Type.Union([tagText, Type.Array(tagText), Type.Null()])),
  ...DAYS_IN_BODY,
  title: optionalText({ maxLength: LIMITS.titleCharacters, pattern: CHARACTERS.line }),
  password: optionalText({ maxLength: LIMITS.passwordCharacters, pattern: CHARACTERS.password }),
};

/** The names that our JSON bodies accept in creates of pages only. */
export const PAGE_IN_BODY = {
  format: Type.Optional(
    Type.Unsafe({
      enum: ['html', 'markdown', 'md', 'text', '', null],
      description: 'In any case.',
    }),
  ),
  filename: optionalText({ maxLength: LIMITS.filenameCharacters, pattern: CHARACTERS.filename }),
  showTopBar: Type.Optional(Type.Unsafe({ enum: [true, false, 'true', 'false', '', null] })),
};
