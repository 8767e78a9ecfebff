import { bytes, listed, notModified, partial, REMOVED, served } from './answers.ts';
import type { ExampleRequest, MediaType, Need, Operation, Responses, Tag } from './operation.ts';
import { CONDITIONS, ITEM, LIST, OWNER, OWNER_ONLY, OWNER_OPTIONAL, parameters } from './parameters.ts';
import { failures, OWNER_CODES, READER_CODES } from './responses.ts';

/** The part of an operation that differs from kind to kind. */
interface KindOperation extends Pick<Operation, 'operationId' | 'summary' | 'description'> {
  tag: Tag;
  /** The item that the example requests are about. */
  needs: Need;
}

/** The part of an example request that sends the owner token of an item. */
export const byOwner = (needs: Need): Required<Pick<ExampleRequest, 'needs' | 'headers'>> => ({
  needs,
  headers: { 'X-Owner-Token': '{ownerToken}' },
});

/** The list of an owner's items of one kind (`answerOwnerList`). */
export const ownerList = (
  { tag, needs, ...texts }: KindOperation,
  content: Record<string, MediaType>,
): Operation => ({
  ...texts,
  tags: [tag],
  security: OWNER_OPTIONAL,
  parameters: parameters(...LIST),
  responses: {
    '200': listed(content),
    ...failures(['VALIDATION_FAILED', 'NAMESPACE_INVALID', 'NAMESPACE_RESERVED', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'Without a token', status: 200 },
    { summary: 'The first page', status: 200, ...byOwner(needs), query: { page: '1', size: '10' } },
  ],
});

interface RemovalOperation extends KindOperation {
  /** The conditions that it looks at. */
  conditions?: Array<'IfMatch' | 'IfNoDocument'>;
}

/** The removal of a whole item by its owner (`answerRemoval`). */
export function removal({ tag, needs, conditions = [], ...texts }: RemovalOperation): Operation {
  const owner = byOwner(needs);
  const isConditional = conditions.length > 0;
  return {
    ...texts,
    tags: [tag],
    security: OWNER_ONLY,
    parameters: parameters(...ITEM, ...OWNER, ...conditions),
    responses: {
      '204': REMOVED,
      ...failures([
        ...(isConditional ? (['VALIDATION_FAILED'] as const) : []),
        ...OWNER_CODES,
        'QUARANTINED',
        ...(isConditional ? (['PRECONDITION_FAILED'] as const) : []),
      ]),
    },
    'x-example-requests': [
      { summary: 'An item', status: 204, ...owner },
      ...(isConditional
        ? [
            {
              summary: 'Another version than there is',
              status: 412,
              needs,
              headers: { ...owner.headers, 'If-Match': '"another"' },
            },
          ]
        : []),
    ],
  };
}

/** Names of the parameters of a read of stored bytes, besides those that name the item and its reader. */
export const BYTE_READ = ['Download', 'Range', 'IfRange', 'IfMatchOfFile', ...CONDITIONS] as const;

/** Answers to a read of stored bytes, of which `summary` and `value` are an example. */
export const byteReadResponses = (summary: string, value: string): Responses => ({
  '200': served('The file.', bytes('*/*', summary, value), ['ETag'], ['Accept-Ranges']),
  ...partial(),
  ...notModified(['ETag'], ['Accept-Ranges']),
  ...failures([...READER_CODES, 'QUARANTINED', 'PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE']),
});
