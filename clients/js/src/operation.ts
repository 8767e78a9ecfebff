import type { components, paths } from './api.gen.ts';

/** The parts of the interface document that the client is typed by. */
export type Method = 'get' | 'post' | 'put' | 'delete';

/** The paths that an operation with this method is documented for. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: object } ? P : never;
}[keyof paths];

type Operation<M extends Method, P extends PathOf<M>> = paths[P] extends { [K in M]: infer O } ? O : never;

export type Query<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { parameters: { query?: infer Q } } ? Exclude<Q, undefined> : never;

/** The type of an operation's JSON body. */
export type JsonBody<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { requestBody?: { content: { 'application/json': infer Body } } } ? Body : never;

type Success<Responses> = Responses extends { 201: infer Created }
  ? Created
  : Responses extends { 200: infer Ok }
    ? Ok
    : never;

/** The JSON that a success is answered with. */
export type Answer<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { responses: infer Responses }
    ? Success<Responses> extends { content: { 'application/json': infer Body } }
      ? Body
      : never
    : never;

/** The body of every error answer. */
export type ErrorAnswer = components['schemas']['Error'];

/** The codes that errors are told apart by. */
export type ErrorCode = ErrorAnswer['code'];
