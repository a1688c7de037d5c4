import type { Route } from './route-definition.ts';

/** A route with the plugin that registered it. */
export interface OwnedRoute {
  // biome-ignore lint/suspicious/noExplicitAny: a table of routes of any shape
  readonly route: Route<any, any, any>;
  readonly plugin: string;
  /** True for a route of the package, whose schemas compile at their first use: see `Installation`. */
  readonly isOfPackage?: boolean;
}

/**
 * Finds mistakes in a set of routes, one sentence each with the plugins: paths that no transport could match, and two
 * routes for the same request. Names of parameters do not distinguish routes.
 */
export const routeProblems = (routes: readonly OwnedRoute[]): readonly string[] => {
  const problems: string[] = [];
  const owners = new Map<string, string>();
  for (const { route, plugin } of routes) {
    const problem = pathProblem(route.path);
    if (problem !== undefined) problems.push(`plugin "${plugin}": the path ${route.path} ${problem}`);
    const key = `${route.method} ${route.path.replace(/([:*])[^/]*/g, '$1')}`;
    const owner = owners.get(key);
    if (owner === undefined) owners.set(key, plugin);
    else problems.push(`${route.method} ${route.path} is registered by "${owner}" and by "${plugin}"`);
  }
  return problems;
};

const pathProblem = (path: string): string | undefined => {
  if (path === '/') return undefined;
  if (!path.startsWith('/')) return 'must start with a slash';
  // Outside the API, the path of a folder ends with a slash.
  const spelled = path.startsWith('/v1/') ? path : path.replace(/(?<=^[^:*]+)\/$/, '');
  const segments = spelled.slice(1).split('/');
  if (!segments.every((segment) => SEGMENT.test(segment))) {
    return 'must consist of literal segments, `:name` and `*name`';
  }
  const names = segments.filter((segment) => NAMED.test(segment));
  if (new Set(names.map((name) => name.slice(1))).size < names.length) return 'names a parameter twice';
  const tail = segments.findIndex((segment) => segment.startsWith('*'));
  if (tail !== -1 && segments.slice(tail + 1).some((segment) => NAMED.test(segment))) {
    return 'may have nothing but literal segments after its tail';
  }
  return undefined;
};

/** Returns the paths that a transport matches for a route. */
export const spellingsOf = ({ path, slashAtEnd }: Pick<Route, 'path' | 'slashAtEnd'>): readonly string[] =>
  slashAtEnd ? [path, `${path}/`] : [path];

const NAMED = /^[:*]/;
const SEGMENT = /^(?:[:*][a-z][a-z0-9_]*|[A-Za-z0-9._~-]+)$/;
