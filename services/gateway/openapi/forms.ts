import { type StringOptions, Type } from '@sinclair/typebox';
import { LIMITS } from '../../../shared/items/item.ts';
import type { ExampleRequest, MediaType } from './operation.ts';
import { NAMESPACE_NAME } from './parameters/parts.ts';
import { CHARACTERS, orBlank } from './text-patterns.ts';

/** A part of a form that is a file. */
export const UPLOADED_FILE = Type.String({ contentMediaType: 'application/octet-stream' });

/** `/docs` fills its forms with what is an example in a schema, or else with something made up. */
const field = (options: StringOptions = {}) => Type.Optional(Type.String({ ...options, examples: [''] }));

/** The create parameters as fields of a form; the query and the headers win over them (specification 3.1). */
export const FORM_FIELDS = {
  ns: Type.Optional(Type.String({ ...NAMESPACE_NAME, examples: ['public'] })),
  id: field({ pattern: orBlank(CHARACTERS.id) }),
  tags: field({ description: 'Separated by commas.', pattern: CHARACTERS.tags }),
  ttl: field({ description: 'Days, as `7`, `7d` or `7 days`.', pattern: orBlank(CHARACTERS.days) }),
  title: field({ maxLength: LIMITS.titleCharacters, pattern: CHARACTERS.line }),
  password: field({ maxLength: LIMITS.passwordCharacters, pattern: CHARACTERS.password }),
};

/** The replacement of a site takes these of them (specification 8.4). */
export const REPLACEMENT_FIELDS = {
  tags: FORM_FIELDS.tags,
  ttl: FORM_FIELDS.ttl,
  title: FORM_FIELDS.title,
};

/** Field of a form with one file: a part cannot always be given the name that the file is to have. */
export const FILENAME_FIELD = {
  filename: field({
    description: 'Names the file instead of the name of its part, without a path; before the file.',
    maxLength: LIMITS.filenameCharacters,
    pattern: CHARACTERS.filename,
  }),
};

/** The body of a form that a browser sends. */
export const urlEncoded = (fields: MediaType['schema'], value: object): Record<string, MediaType> => ({
  'application/x-www-form-urlencoded': { schema: fields, examples: { form: { value } } },
});

/** A request with the example of such a body. */
export const formRequest = (status: number): Pick<ExampleRequest, 'status' | 'body'> => ({
  status,
  body: { type: 'application/x-www-form-urlencoded', example: 'form' },
});
