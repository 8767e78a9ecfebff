import { type Parameter, parameterRef, type Reference } from './operation.ts';
import { ADDRESSES } from './parameters/addresses.ts';
import { CREATING } from './parameters/creating.ts';
import { LISTS } from './parameters/lists.ts';
import { OPERATOR } from './parameters/operator.ts';
import { READING } from './parameters/reading.ts';

/** Under `#/components/parameters`. Values stand in `schema.examples`, so that the page fills none in unasked. */
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

/** What every create accepts besides its content. */
export const CREATE: ParameterName[] = [
  ...(['CreateNamespace', 'CreateId', 'Tags', 'Ttl', 'Title', 'SetPassword', 'SetPasswordQuery'] as const),
  ...(['GroupToken', 'OwnerTokenQuery', 'IdempotencyKey'] as const),
];

export const ITEM: ParameterName[] = ['Namespace', 'Id'];
export const OWNER: ParameterName[] = ['OwnerToken', 'OwnerTokenQuery'];

/** What opens a protected item: its password, or its owner's token. */
export const READER: ParameterName[] = ['Password', 'PasswordQuery', ...OWNER];

export const LIST: ParameterName[] = ['ListNamespace', 'Page', 'Size', ...OWNER];

/** Reads of an item that need a credential only when it has a password. */
export const MAY_NEED_PASSWORD = [
  {},
  { password: [] },
  { passwordQuery: [] },
  { ownerToken: [] },
  { ownerTokenQuery: [] },
];

/** The operator's alone. */
export const ADMIN: ParameterName[] = ['AdminPassword'];
export const ADMIN_ONLY = [{ adminPassword: [] }];

/** The owner's alone. */
export const OWNER_ONLY = [{ ownerToken: [] }, { ownerTokenQuery: [] }];

/** With an owner token or without. */
export const OWNER_OPTIONAL = [{}, ...OWNER_ONLY];
