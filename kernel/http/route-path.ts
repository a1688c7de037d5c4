import { ServiceError } from '../../ports/service-error.ts';

/** A value in the query of a call. A list is a parameter that is given several times. */
export type QueryValue = string | number | boolean | null | undefined | readonly string[];

/** A call of a route, named by method and pattern: `GET /v1/facts/:id`. */
export interface RouteQuestion {
  readonly route: string;
  /** Unencoded: they are percent-encoded here. */
  readonly params?: Readonly<Record<string, string>>;
  /** Values that are undefined or null are left out. */
  readonly query?: Readonly<Record<string, QueryValue>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A call in its wire form. */
export interface SpelledQuestion {
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** By the names of the pattern, percent-encoded. */
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
  return typeof value === 'object' ? value : [String(value)];
};
