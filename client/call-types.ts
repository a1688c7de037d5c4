import type { Api } from './api-types.ts';

/** A route by its method and path, for example `GET /v1/facts/{id}`. */
export type RouteName = keyof Api & string;

/** The input of a route: `params`, `query` and `body`, as far as it has them. */
export type InputOf<R extends RouteName> = Omit<Api[R], 'answers'>;

/** The answer of a route. */
export type AnswerOf<R extends RouteName> = Api[R]['answers'][keyof Api[R]['answers']];

/** The query of a route. */
export type QueryOf<R extends RouteName> = Api[R] extends { query?: infer Q } ? NonNullable<Q> : never;

/** The body of a route. */
export type BodyOf<R extends RouteName> = Api[R] extends { body?: infer B } ? NonNullable<B> : never;

/** Settings of one call. */
export interface CallOptions {
  /** Aborts the call with all its retries. The call then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the client's time limit of each try, in milliseconds. 0 sets no limit. */
  readonly timeoutMs?: number | undefined;
  /** Replaces the client's number of further tries. */
  readonly retries?: number | undefined;
  /**
   * Identifies a repeated request for the node. The client makes one for routes that take it (`POST /v1/facts` and
   * `POST /v1/facts/batch`); pass your own to keep it over restarts of a program.
   */
  readonly idempotencyKey?: string | undefined;
  /** Replaces the client's session, to which facts belong. */
  readonly session?: string | undefined;
  /** `full` asks a recall for a proof of the chain of facts. */
  readonly verify?: 'full' | undefined;
  /** A capability token, as JSON text. */
  readonly capability?: string | undefined;
  /** Additional headers of the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A reply with its status. `data` is the result of `call`. */
export type ReplyOf<R extends RouteName> = {
  [S in keyof Api[R]['answers']]: {
    readonly status: S;
    readonly data: Api[R]['answers'][S];
    readonly headers: Headers;
  };
}[keyof Api[R]['answers']];

/** The last argument of a call; required if the route has required input. */
export type CallArguments<R extends RouteName> =
  Record<never, never> extends InputOf<R> ? [input?: InputOf<R> & CallOptions] : [input: InputOf<R> & CallOptions];

/** Calls routes by their names. */
export interface Caller {
  readonly call: <R extends RouteName>(route: R, ...input: CallArguments<R>) => Promise<AnswerOf<R>>;
}
