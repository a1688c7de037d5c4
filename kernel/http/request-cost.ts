import type { Route } from './route-definition.ts';

/** Returns a function that tells the cost of a request to a route, in rows. */
export const compileCost = ({
  cost,
}: // biome-ignore lint/suspicious/noExplicitAny: a route of any shape
Pick<Route<any, any, any>, 'cost'>): ((query: unknown, body: unknown) => number) => {
  if (typeof cost === 'number') return () => cost;
  if (cost !== undefined) return (query, body) => cost({ query, body });
  return (query, body) => Math.max(1, limitIn(query), limitIn(body), Array.isArray(body) ? body.length : 0);
};

/** The names of the parameter that bounds a list. */
const LIMITS = ['limit', 'page_size'] as const;

const limitIn = (part: unknown): number => {
  const asked = part as Partial<Record<(typeof LIMITS)[number], unknown>> | null | undefined;
  return Math.max(0, ...LIMITS.map((name) => asked?.[name]).filter((limit) => typeof limit === 'number'));
};
