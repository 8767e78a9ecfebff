/** The part of a request that travels with it to every service. */
export interface CallContext {
  requestId: string;
  /** The moment after which nobody waits for it, by `steadyNow`. On its way it becomes the time that is left. */
  deadline: number;
  /** The client on whose behalf the call is made, for budgets; absent when a service calls on its own behalf. */
  client?: string;
}
