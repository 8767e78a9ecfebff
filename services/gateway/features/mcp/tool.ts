import { type Static, type TObject, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { argumentFaults } from './argument-faults.ts';
import { inArguments } from './argument-names.ts';
import type { McpOperation, Query, ToolCall } from './tool-call.ts';

/** The effect of a tool's call, for hosts that ask their user before some of them. */
export type Effect = 'reads' | 'creates' | 'changes' | 'removes';

/** A tool as `tools/list` tells it, and how it is called. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  /** The operations that its call consists of. */
  operations: McpOperation[];
  input: TObject;
  output: TObject;
  /** @throws VALIDATION_FAILED for arguments that do not fit `input`; what its operations throw */
  run(call: ToolCall, given: unknown): Promise<object>;
}

interface ToolDefinition<Input extends TObject> extends Omit<Tool, 'input' | 'run'> {
  input: Input;
  run(call: ToolCall, given: Static<Input>): Promise<object>;
}

/** A tool whose arguments are checked before its call. */
export const defineTool = <Input extends TObject>(definition: ToolDefinition<Input>): Tool => ({
  ...definition,
  async run(call, given) {
    const { input } = definition;
    if (!Value.Check(input, given)) throw errors.validationFailed(argumentFaults(input, given));
    try {
      return await definition.run(call, given);
    } catch (failure) {
      throw inArguments(failure);
    }
  },
});

const text = (description: string, options: object = {}) => Type.String({ description, ...options });
const option = (description: string, options: object = {}) => Type.Optional(text(description, options));

/** An object of exactly these arguments. */
export const takes = <P extends Parameters<typeof Type.Object>[0]>(properties: P): TObject<P> =>
  Type.Object(properties, { additionalProperties: false });

export const oneOf = <V extends string>(values: readonly V[], description: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  );

/** Visible ASCII, as headers carry it. */
const VISIBLE = '^[\\x21-\\x7e]{1,512}$';

/** Names an item that there is. */
export const ITEM = {
  namespace: text('The first part of the address /{namespace}/{id}.', { maxLength: 100 }),
  id: text('The second part of the address.', { maxLength: 100 }),
};

export const OWNER = {
  ownerToken: option(
    'The owner token that the publishing tool returned. Not needed when the connection sends X-Owner-Token.',
  ),
};

export const READER = {
  password: option("The item's password, if it has one. Its owner token does as well."),
  ...OWNER,
};

/** @param absent how many there are by default */
export const days = (absent: string) => ({
  ttlDays: Type.Optional(
    Type.Integer({ minimum: 1, description: `Days until it is deleted; ${absent} by default.` }),
  ),
});

export const VERSION = {
  ifMatch: option(
    'The `etag` of an earlier read: the change is refused when somebody else has changed it since.',
    { pattern: VISIBLE },
  ),
};

/**
 * The arguments that every publishing tool takes beside its content.
 * @param untitled the title by default, which each kind has another of
 */
export const creation = (untitled: string) => ({
  namespace: option(
    'Where to put it. Left out: a new random namespace, so that nobody finds it who does not have the address. "public": listed in the gallery for everybody, found by search engines. Any other name of 3 to 32 characters a-z 0-9 and hyphens: not listed; use the one of an earlier answer to keep things together.',
    { maxLength: 100 },
  ),
  id: option('The second part of the address; a random one by default.', { maxLength: 100 }),
  title: option(`What it is called; ${untitled} by default.`),
  tags: Type.Optional(
    Type.Array(Type.String({ pattern: '^[^,]+$' }), {
      maxItems: LIMITS.tags,
      description: 'Words to find it by.',
    }),
  ),
  ...days(String(LIMITS.ttlDaysDefault)),
  password: option('Readers then need it, beside the address.'),
  idempotencyKey: option(
    'A text of 16 to 255 characters. Repeating the call with it returns what the first call made. Needs `namespace`.',
    { pattern: VISIBLE },
  ),
  ownerToken: option(
    'An owner token of yours: all that is published with it has one owner. By default each item gets a new one.',
  ),
});

type Create = Static<TObject<ReturnType<typeof creation>>>;
type Owner = Static<TObject<typeof OWNER>>;

/** The query of an operation by an item's owner. An empty argument counts as left out (specification 1.3). */
export const asOwner = ({ connectionToken }: ToolCall, { ownerToken }: Owner): Query => ({
  token: ownerToken?.trim() || connectionToken || undefined,
});

/** The query of a read. */
export const asReader = (call: ToolCall, { password, ...owner }: Static<TObject<typeof READER>>): Query => ({
  ...asOwner(call, owner),
  p: password,
});

/** The parameters of a create, with a namespace in any case. @throws VALIDATION_FAILED */
export async function asCreator(
  call: ToolCall,
  given: Create,
): Promise<{ query: Query; headers: Record<string, string | undefined> }> {
  const { namespace, id, title, tags, ttlDays, password, idempotencyKey } = given;
  if (namespace?.trim() === '') throw errors.invalid('NAMESPACE_INVALID', [NAMESPACE_EMPTY]);
  if (namespace === undefined && idempotencyKey !== undefined)
    throw errors.validationFailed([NAMESPACE_MISSING]);
  return {
    query: {
      ns: namespace ?? (await call.operations.randomNamespace(call.request())),
      id,
      title,
      tags: tags?.join(','),
      ttl: ttlDays,
      p: password,
      ...asOwner(call, given),
    },
    headers: { 'Idempotency-Key': idempotencyKey },
  };
}

const NAMESPACE_EMPTY = { field: 'namespace', message: 'is empty. Leave it out to get a random one.' };
const NAMESPACE_MISSING = {
  field: 'namespace',
  message: 'is needed with an idempotencyKey: a repetition has to ask for the same place.',
};
