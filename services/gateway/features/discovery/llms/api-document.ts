import type { ApiDocument } from '../../../openapi/api-document.ts';
import type {
  Example,
  Header,
  Operation,
  Parameter,
  Reference,
  Response,
} from '../../../openapi/operation.ts';

/** Reads parts of a document that may stand among its components. */
export interface Components {
  parameter(part: Parameter | Reference): Parameter;
  header(part: Header | Reference): Header;
  example(part: Example | Reference): Example;
  response(part: Response | Reference): Response;
}

export function componentsOf({ components }: ApiDocument): Components {
  const find = <P extends object>(group: Record<string, P>, part: P | Reference): P => {
    if (!('$ref' in part)) return part;
    const found = group[nameOf(part)];
    if (found === undefined) throw new Error(`the document has no ${part.$ref}`);
    return found;
  };
  return {
    parameter: (part) => find<Parameter>(components.parameters, part),
    header: (part) => find<Header>(components.headers, part),
    example: (part) => find<Example>(components.examples, part),
    response: (part) => find<Response>(components.responses as Record<string, Response>, part),
  };
}

/** The name of what a reference leads to. */
export const nameOf = ({ $ref }: Reference): string => $ref.slice($ref.lastIndexOf('/') + 1);

/** An operation with its address. */
export interface Addressed {
  /** In capitals. */
  method: string;
  path: string;
  operation: Operation;
}

export const operationsOf = ({ paths }: ApiDocument): Addressed[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
