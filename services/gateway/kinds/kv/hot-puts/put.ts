import type { Server } from 'bun';
import type { replaceEntries } from '../../../../../shared/contracts/kv.ts';
import type { InputOf, ReplyOf } from '../../../../../shared/contracts/operation.ts';
import type { WindowState } from '../../../../../shared/ports/cache.ts';
import type { FastPathWrite } from '../../../http/fast-path.ts';
import type { PlainPut } from './plain-puts.ts';
import type { PreparedPutAnswer } from './prepared-put-answers.ts';
import type { RoomOfClient } from './shared-room.ts';

/** A request on this path. */
export interface Put extends PlainPut {
  request: Request;
  server: Server<unknown>;
  prepared: PreparedPutAnswer;
  clientIp: string;
  client: string;
  fastPath: FastPathWrite;
  room: RoomOfClient;
  window: WindowState | null;
  resolve(response: Response | Promise<Response>): void;
  reject(error: unknown): void;
}

/** A put, as it is sent to `kv`. */
export type Write = InputOf<typeof replaceEntries>['writes'][number];

/** The outcome of a write; `null`: `kv` has not tried it. */
export type Outcome = ReplyOf<typeof replaceEntries>['outcomes'][number];
