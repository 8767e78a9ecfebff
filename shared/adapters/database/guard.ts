import type { Sql, TransactionSql } from 'postgres';
import { within } from '../../deadline.ts';
import type { Database } from '../../items/sql.ts';
import { DatabaseLateError, isConnectionLost, takesNoChanges } from './errors.ts';
import { type Attempt, type Resend, type Send, sendOnce } from './resend.ts';

export type Types = Database extends Sql<infer T> ? T : never;
type Work = (tx: TransactionSql<Types>) => unknown;

export interface Limits {
  /** Longest wait for one statement, in ms. */
  deadlineMs: number;
  /** Most statements sent and not yet answered; more are refused at once. */
  maxUnanswered: number;
  /** Told of each that is refused. */
  refused(): void;
}

/** Sends statements under a deadline and refuses them when too many are unanswered (a frozen server). */
export function limitedSend({ deadlineMs, maxUnanswered, refused }: Limits): Send {
  let unanswered = 0;
  return async (start) => {
    if (unanswered >= maxUnanswered) {
      refused();
      throw new DatabaseLateError('DATABASE_BUSY', 'Too many statements wait for the database.');
    }
    unanswered += 1;
    const answered = (): void => {
      unanswered -= 1;
    };
    const work = start();
    work.then(answered, answered);
    return await within(work, deadlineMs, () => late(deadlineMs));
  };
}

/** How work goes to the server: each attempt through `send`, as often as `resend` says. */
export interface SendPolicy {
  send: Send;
  resend: Resend;
}

/** The tag function, with every statement sent by `policy` when it is first awaited, and the methods in `replaced`. */
export function guardStatements<S extends object>(sql: S, policy: SendPolicy, replaced: object): S {
  const replacements = new Map(Object.entries(replaced));
  const guardCall = (call: (...args: unknown[]) => unknown): ((...args: unknown[]) => unknown) => {
    return (...args) => guardStatement(() => call(...args), policy);
  };
  for (const name of ['unsafe', 'file'] as const) {
    const call: unknown = Reflect.get(sql, name);
    if (typeof call === 'function')
      replacements.set(
        name,
        guardCall((...args) => call(...args)),
      );
  }
  return new Proxy(sql, {
    apply: (target, self, args) =>
      guardStatement(() => Reflect.apply(target as () => unknown, self, args), policy),
    get: (target, name) =>
      typeof name === 'string' && replacements.has(name) ? replacements.get(name) : Reflect.get(target, name),
  });
}

function guardStatement(make: () => unknown, { send, resend }: SendPolicy): unknown {
  const made = make();
  if (!(made instanceof Promise)) return made;
  let first: Attempt<unknown> | undefined = attemptOf(made);
  const nextAttempt = (): Attempt<unknown> => {
    const next = first ?? attemptOf(likeFirst(make()));
    first = undefined;
    return next;
  };
  /** Asks of a repeated query what was asked of the first one after it was made, as `values()` does. */
  const likeFirst = (again: unknown): Promise<unknown> =>
    Object.assign(again as Promise<unknown>, {
      isRaw: Reflect.get(made, 'isRaw'),
      options: Reflect.get(made, 'options'),
    });
  let outcome: Promise<unknown> | undefined;
  // The client runs a statement when its `then` is first called, and tells fragments apart by class: so the
  // statement stays the object it is and only its promise methods change.
  return Object.assign(made, {
    // biome-ignore lint/suspicious/noThenProperty: a statement is a thenable by the client's design
    then: (...handlers: Parameters<Promise<unknown>['then']>) => {
      outcome ??= resend(nextAttempt, send);
      return outcome.then(...handlers);
    },
    catch: (...handlers: Parameters<Promise<unknown>['catch']>) => Promise.resolve(made).catch(...handlers),
    finally: (...handlers: Parameters<Promise<unknown>['finally']>) =>
      Promise.resolve(made).finally(...handlers),
  });
}

/**
 * The client gives a statement its `state` when it writes it to a connection. One that was refused, as the
 * server takes no changes, might as well not have been sent.
 */
function attemptOf(statement: Promise<unknown>): Attempt<unknown> {
  const start = statement.then.bind(statement);
  let isUndone = false;
  const run = async (): Promise<unknown> => {
    try {
      return await new Promise((resolve, reject) => void start(resolve, reject));
    } catch (error) {
      isUndone = takesNoChanges(error);
      throw error;
    }
  };
  return { start: run, wasSent: () => !isUndone && Reflect.get(statement, 'state') !== null };
}

/**
 * The client's `begin` with two faults kept out (both seen with postgres 3.4.9, its issues 1154, 1155, 1186). When the
 * connection is lost while the callback runs, the client goes on to send the callback's next statement, or its own ROLLBACK
 * or COMMIT: to no socket, which throws where nobody can catch it, or to the pool's next connection, outside any
 * transaction. After a loss, therefore, no statement of the callback is sent, and the callback is never seen to end; the
 * client itself rejects the transaction. Statements that the client held back never settle: they fail when the transaction
 * does, as each that is unanswered takes room (`limitedSend`). Besides, BEGIN and COMMIT get a deadline like any statement.
 */
export function guardTransactions(
  client: Sql<Types>,
  { send, resend }: SendPolicy,
  deadlineMs: number,
): Sql<Types>['begin'] {
  return ((...args: [Work] | [string, Work]) => {
    const [options, work] = args.length === 1 ? ['', args[0]] : args;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const over = Promise.withResolvers<never>();
    over.promise.catch(() => undefined);
    let lost = false;
    let expired = false;
    let begun = false;
    let timer: Timer | undefined;
    const limit = (): void => {
      timer = setTimeout(() => {
        expired = true;
        reject(late(deadlineMs));
      }, deadlineMs);
    };
    const sendInside: Send = async (start) => {
      if (lost) throw connectionLost();
      try {
        return await send(() => Promise.race([start(), over.promise]));
      } catch (error) {
        lost ||= isConnectionLost(error);
        throw error;
      }
    };
    const shield = (inner: Work) => async (tx: TransactionSql<Types>) => {
      const savepoint = (...given: [Work] | [string, Work]) => {
        if (lost) return Promise.reject(connectionLost());
        const [name, nested] = given.length === 1 ? [undefined, given[0]] : given;
        return name === undefined ? tx.savepoint(shield(nested)) : tx.savepoint(name, shield(nested));
      };
      try {
        return await inner(guardStatements(tx, { send: sendInside, resend: sendOnce }, { savepoint }));
      } catch (error) {
        // The server may be frozen: tell the caller now and leave the ROLLBACK to its time.
        if (error instanceof DatabaseLateError) reject(error);
        throw error;
      } finally {
        if (lost) await new Promise<never>(() => undefined);
      }
    };
    limit();
    const outer = async (tx: TransactionSql<Types>): Promise<unknown> => {
      begun = true;
      clearTimeout(timer);
      if (expired) throw late(deadlineMs);
      try {
        return await shield(work)(tx);
      } finally {
        limit();
      }
    };
    const begin = () => ({ start: () => client.begin(options, outer), wasSent: () => begun || expired });
    resend<unknown>(begin, (start) => start())
      .then(resolve, reject)
      .finally(() => {
        lost = true;
        over.reject(connectionLost());
        clearTimeout(timer);
      });
    return promise;
  }) as Sql<Types>['begin'];
}

function late(deadlineMs: number): DatabaseLateError {
  return new DatabaseLateError('DATABASE_DEADLINE', `The database did not answer within ${deadlineMs} ms.`);
}

function connectionLost(): Error {
  return Object.assign(new Error('The connection of this transaction is lost.'), {
    code: 'CONNECTION_CLOSED',
  });
}
