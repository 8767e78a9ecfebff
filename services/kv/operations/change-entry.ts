import type { CallContext } from '../../../shared/call-context.ts';
import type { changeEntry as contract } from '../../../shared/contracts/kv.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { KvDependencies } from '../dependencies.ts';

/** Applies an increment or an append to a value: see `ChangeWriter.change`. */
export async function changeEntry(
  { changes }: KvDependencies,
  input: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  const { version, sequence, sizeBytes, updatedAt, number, created, expiresAt } = await changes.change(
    input,
    context,
  );
  const entry = { key: input.key, sizeBytes, version, sequence, updatedAt };
  return { entry, value: number, created, expiresAt };
}
