import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../../shared/items/item.ts';

/** A part of a form that is a file. */
export const UPLOADED_FILE = Type.String({ contentMediaType: 'application/octet-stream' });

/** The create parameters as fields of a form; the query and the headers win over them (shapes.md, Conventions). */
export const FORM_FIELDS = {
  ns: Type.Optional(Type.String()),
  id: Type.Optional(Type.String()),
  tags: Type.Optional(Type.String({ description: 'Separated by commas.' })),
  ttl: Type.Optional(Type.String({ description: 'Days, as `7`, `7d` or `7 days`.' })),
  title: Type.Optional(Type.String({ maxLength: LIMITS.titleCharacters })),
  password: Type.Optional(Type.String({ maxLength: LIMITS.passwordCharacters })),
};
