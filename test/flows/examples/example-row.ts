import type { DescribedRoute } from '../../../kernel/description/node-description.ts';
import type { RouteExample } from '../../../kernel/http/route-definition.ts';
import type { Stage } from './stage.ts';

/** Values of a running node that replace values of an example. */
export interface Overrides {
  /** Replacements for path parameters, query and headers, member by member. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The replacement body: merged when both are objects, otherwise complete. */
  readonly body?: unknown;
  /** The credential, instead of the default key. */
  readonly credential?: string;
}

/** How the example of one route becomes a working request. A registered route without a row fails the suite. */
export interface ExampleRow {
  /** The method and path pattern, as `describe` prints them. */
  readonly route: string;
  /**
   * Prepares the request, and returns values that only this node knows: ids, tokens, signatures. Called once for each
   * way of sending.
   */
  prepare?(stage: Stage): Promise<Overrides>;
  /** Whether the answer is endless, so that only its first event is read. */
  readonly isStream?: boolean;
}

/** A complete request, independent of how it is sent. */
export interface ExampleRequest {
  readonly route: Pick<DescribedRoute, 'method' | 'path' | 'bodyForm'>;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | number | boolean>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, or undefined without one. */
  readonly body: unknown;
  /** The credential, or undefined for an open route. */
  readonly credential: string | undefined;
  readonly isStream: boolean;
}

/** Returns the example request with the values of the running node. */
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

/** Returns the expected status of the example: the one that it names, or else the lowest that its route declares. */
export const statusOf = ({ answers }: Pick<DescribedRoute, 'answers'>, { status }: RouteExample): number =>
  status ?? Math.min(...Object.keys(answers).map(Number));
