import type { ErrorCode } from '../../../../shared/perch-error.ts';
import type { ExampleRequest, Operation } from '../../openapi/operation.ts';
import { ADMIN, ADMIN_ONLY, type ParameterName, parameters } from '../../openapi/parameters.ts';
import { ADMIN_CODES, type FailureOptions, failures } from '../../openapi/responses.ts';

export interface OperatorOperation
  extends Pick<Operation, 'operationId' | 'summary' | 'description' | 'requestBody' | 'responses'>,
    Pick<FailureOptions, 'page' | 'local'> {
  /** Parameters besides the admin password. */
  parameters?: readonly ParameterName[];
  /** Codes of errors besides those that every operation of the operator has. */
  errors?: readonly ErrorCode[];
  /** All but those answered 401 send the admin password. */
  'x-example-requests': readonly ExampleRequest[];
}

/** An operation for the operator alone: adds the proof it asks for, and the answers without one. */
export const operatorOperation = ({
  parameters: names = [],
  responses,
  errors = [],
  'x-example-requests': examples,
  page = false,
  local = false,
  ...operation
}: OperatorOperation): Operation => ({
  ...operation,
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(...names, ...ADMIN),
  responses: { ...responses, ...failures([...errors, ...ADMIN_CODES], { page, local }) },
  'x-example-requests': examples.map((example) => (example.status === 401 ? example : proven(example))),
});

const proven = (example: ExampleRequest): ExampleRequest => ({
  ...example,
  headers: { 'X-Admin-Password': '{adminPassword}', ...example.headers },
});
