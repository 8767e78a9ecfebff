import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type * as contract from '../../../shared/contracts/server-state.ts';
import { removeProcess, saveProcess } from '../../../shared/processes/process-rows.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { readServerState } from '../repository/server-state.ts';

type Dependencies = Pick<ContentDependencies, 'sql' | 'clock'>;

/** Notes what a gateway tells of itself: it has no database. */
export async function reportProcess(
  { sql, clock }: Dependencies,
  { process, leaves }: InputOf<typeof contract.reportProcess>,
): Promise<ReplyOf<typeof contract.reportProcess>> {
  await (leaves ? removeProcess(sql, process.processId) : saveProcess(sql, process, clock.now()));
  return {};
}

export const describeServer = ({
  sql,
  clock,
}: Dependencies): Promise<ReplyOf<typeof contract.describeServer>> => readServerState(sql, clock.now());
