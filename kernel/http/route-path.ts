import { ServiceError } from '../../ports/service-error.ts';

/** A value in the query of a call. A list becomes a repeated parameter, and an empty list one without a value. */
export type QueryValue = string | number | boolean | null | undefined | readonly string[];

/** A call of a route, named by method and pattern: `GET /v1/facts/:id`. */
export interface RouteQuestion {
  readonly route: string;
  /** The path parameters, not encoded. */
  readonly params?: Readonly<Record<string, string>>;
  /** The query; undefined and null values are omitted. */
  readonly query?: Readonly<Record<string, QueryValue>>;
  /** The body, sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A call in the form that goes over the network. */
export interface SpelledQuestion {
  readonly method: string;
  readonly path: string;
  /** The query without the question mark. */
  readonly query: string;
  /** The percent-encoded path parameters, by the names in the pattern. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Spells the address of a call. Every parameter is encoded as one segment, so that no value can lead to another route.
 * Throws `validation` for a missing or empty parameter, which no path can express.
 */
export const spellQuestion = ({ route, params = {}, query = {} }: RouteQuestion): SpelledQuestion => {
  const [method = '', pattern = ''] = route.split(' ');
  const pathParameters: Record<string, string> = {};
  const path = pattern.replaceAll(PARAMETER, (_, name: string) => {
    const value = params[name] ?? '';
    if (value === '') throw new ServiceError('validation', `${name} must not be empty`);
    const encoded = encodeURIComponent(value.toWellFormed());
    pathParameters[name] = encoded;
    return encoded;
  });
  return { method, path, query: spellQuery(query), pathParameters };
};

const PARAMETER = /[:*]([a-z][a-z0-9_]*)/g;

const spellQuery = (query: NonNullable<RouteQuestion['query']>): string =>
  Object.entries(query)
    .flatMap(([name, value]) => valuesOf(value).map((text) => `${name}=${encodeURIComponent(text.toWellFormed())}`))
    .join('&');

const valuesOf = (value: QueryValue): readonly string[] => {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') return [String(value)];
  // Without its parameter, an empty list would ask for everything; the route refuses the empty value.
  return value.length === 0 ? [''] : value;
};
