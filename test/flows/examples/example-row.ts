import type { DescribedRoute } from '../../../kernel/description/node-description.ts';
import type { RouteExample } from '../../../kernel/http/route-definition.ts';
import type { Stage } from './stage.ts';

/** Replacements for an example's own values on a running node. */
export interface Overrides {
  /** These three member by member. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Member by member where both are objects, otherwise the whole. */
  readonly body?: unknown;
  /** The credential, in place of the key of the stage. */
  readonly credential?: string;
}

/** How the example of one route becomes a request that works. A registered route without a row fails the suite. */
export interface ExampleRow {
  /** Method and path pattern, as `describe` gives them. */
  readonly route: string;
  /**
   * Prepares the request, and returns values that only this node knows: ids, tokens, signatures. It is called for each
   * way in which the example is sent.
   */
  prepare?(stage: Stage): Promise<Overrides>;
  /** The answer has no end: the first event of it is read. */
  readonly isStream?: boolean;
}

/** A whole request, for every way of sending it. */
export interface ExampleRequest {
  readonly route: Pick<DescribedRoute, 'method' | 'path' | 'bodyForm'>;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | number | boolean>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: there is none. */
  readonly body: unknown;
  /** Undefined: the route is open. */
  readonly credential: string | undefined;
  readonly isStream: boolean;
}

/** The example with the values of the running node in it. */
export const requestOf = (
  route: DescribedRoute,
  example: RouteExample,
  {
    overrides,
    key,
    isStream = false,
  }: { readonly overrides: Overrides; readonly key: string; readonly isStream?: boolean | undefined },
): ExampleRequest => ({
  route,
  params: { ...example.params, ...overrides.params },
  query: { ...example.query, ...overrides.query },
  headers: { ...example.headers, ...overrides.headers },
  body: mergedBody(example.body, overrides.body),
  credential: overrides.credential ?? (route.access === 'open' ? undefined : key),
  isStream,
});

const mergedBody = (shown: unknown, real: unknown): unknown =>
  isObject(shown) && isObject(real) ? { ...shown, ...real } : (real ?? shown);

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The status that the example brings: the one that it names, or else the lowest that its route declares. */
export const statusOf = ({ answers }: Pick<DescribedRoute, 'answers'>, { status }: RouteExample): number =>
  status ?? Math.min(...Object.keys(answers).map(Number));
