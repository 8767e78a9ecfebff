import { type Parameter, parameterRef, type Reference } from './operation.ts';
import { CREATING } from './parameters/creating.ts';
import { LISTS } from './parameters/lists.ts';
import { OPERATOR } from './parameters/operator.ts';
import { ADDRESSES, READING } from './parameters/reading.ts';

/**
 * Parameters under `#/components/parameters`. Example values are in `schema.examples`, as Swagger UI fills in others
 * unasked.
 */
export const PARAMETERS = {
  ...ADDRESSES,
  ...CREATING,
  ...READING,
  ...LISTS,
  ...OPERATOR,
} satisfies Record<string, Parameter>;

export type ParameterName = keyof typeof PARAMETERS;

/** References to parameters, and the one that every request carries. */
export const parameters = (...names: ParameterName[]): Reference[] =>
  ['UserAgent', ...names].map((name) => parameterRef(name));

/** The parameters that every create accepts besides its content. */
export const CREATE: ParameterName[] = [
  ...(['CreateNamespace', 'CreateId', 'Tags', 'Ttl', 'Title', 'SetPassword', 'SetPasswordQuery'] as const),
  ...(['GroupToken', 'OwnerTokenQuery', 'IdempotencyKey', 'DeliveryMode'] as const),
];

export const ITEM: ParameterName[] = ['Namespace', 'Id'];
export const OWNER: ParameterName[] = ['OwnerToken', 'OwnerTokenQuery'];

/** The parameters that open a protected item: its password, or its owner's token. */
export const READER: ParameterName[] = ['Password', 'PasswordQuery', ...OWNER];

/** Conditions of reads of content. */
export const CONDITIONS: ParameterName[] = ['IfNoneMatch', 'IfModifiedSince', 'IfUnmodifiedSince'];

export const LIST: ParameterName[] = ['ListNamespace', 'Page', 'Size', ...OWNER];

/** Reads of an item that need a credential only when it has a password. */
export const MAY_NEED_PASSWORD = [
  {},
  { password: [] },
  { passwordQuery: [] },
  { ownerToken: [] },
  { ownerTokenQuery: [] },
];

/** Parameters and security of endpoints for the operator only. */
export const ADMIN: ParameterName[] = ['AdminPassword'];
export const ADMIN_ONLY = [{ adminPassword: [] }];

/** Security of endpoints for an item's owner only. */
export const OWNER_ONLY = [{ ownerToken: [] }, { ownerTokenQuery: [] }];

/** Security of endpoints that take an owner token, but do not need one. */
export const OWNER_OPTIONAL = [{}, ...OWNER_ONLY];
