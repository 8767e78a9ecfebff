import type { ExampleRequest, MediaType } from './operation.ts';

/** The body of a form that a browser sends. */
export const urlEncoded = (fields: MediaType['schema'], value: object): Record<string, MediaType> => ({
  'application/x-www-form-urlencoded': { schema: fields, examples: { form: { value } } },
});

/** A request with the example of such a body. */
export const formRequest = (status: number): Pick<ExampleRequest, 'status' | 'body'> => ({
  status,
  body: { type: 'application/x-www-form-urlencoded', example: 'form' },
});
