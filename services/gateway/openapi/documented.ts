import type { DocumentDecoration } from 'elysia';
import type { Surface } from '../http/surface.ts';
import type { Operation } from './operation.ts';
import { PARAMETERS, type ParameterName } from './parameters.ts';

/**
 * The `detail` of a route: its operation in the document, and its surface. Parameters of the path stand in it whole, as
 * @elysiajs/swagger adds those that it does not find there.
 */
export const documented = (operation: Operation, surface: Surface = 'api'): DocumentDecoration =>
  ({ ...inPlace(operation), 'x-surface': surface }) as unknown as DocumentDecoration;

/** An operation whose path parameters are no references. */
export const inPlace = (operation: Operation): Operation => ({
  ...operation,
  parameters: operation.parameters.map((one) => {
    const name = '$ref' in one ? one.$ref.replace('#/components/parameters/', '') : '';
    const known = PARAMETERS[name as ParameterName];
    return known?.in === 'path' ? known : one;
  }),
});
