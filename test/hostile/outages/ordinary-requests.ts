import type { DescribedRoute } from '../../../kernel/description/node-description.ts';
import type { JsonSchema } from '../../../kernel/plugin-api.ts';

/** A request of an ordinary key to one route. */
export interface OrdinaryRequest {
  /** The method and the pattern of the path. */
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly body: unknown;
}

/** Existing things that replace those of the examples, by the beginning of a path and the name of the parameter. */
export type RealThings = Readonly<Record<string, Readonly<Record<string, string>>>>;

const ORDINARY = ['any', 'read', 'write'];

/** Returns the routes that a key with the rights to read and write may call, without endless streams. */
export const ordinaryRoutes = (routes: readonly DescribedRoute[]): readonly DescribedRoute[] =>
  routes.filter(
    ({ permissions, answers }) =>
      permissions.some((permission) => ORDINARY.includes(permission)) &&
      !Object.values(answers).some(({ text }) => text?.includes('text/event-stream')),
  );

/** Returns the example of the route with the highest limit, and without the filters that narrow it. */
export const largestRequest = (route: DescribedRoute, things: RealThings): OrdinaryRequest => {
  const { method, path, example = {}, query, body } = route;
  const [, real = {}] = Object.entries(things).find(([beginning]) => path.startsWith(beginning)) ?? [];
  const params: Readonly<Record<string, string>> = { ...example.params, ...real };
  const place = path.replace(/[:*]([a-z_]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const asked = new URLSearchParams();
  for (const name of requiredOf(query)) asked.set(name, String(real[name] ?? example.query?.[name]));
  const most = maximumOf(query);
  if (most !== undefined) asked.set('limit', String(most));
  const text = asked.toString();
  const mostInBody = maximumOf(body);
  return {
    name: `${method} ${path}`,
    method,
    target: text === '' ? place : `${place}?${text}`,
    body: mostInBody === undefined ? example.body : { ...(example.body as object), limit: mostInBody },
  };
};

const requiredOf = (schema: JsonSchema | undefined): readonly string[] =>
  (schema?.['required'] as readonly string[] | undefined) ?? [];

const maximumOf = (schema: JsonSchema | undefined): number | undefined => {
  const { limit } = (schema?.['properties'] ?? {}) as { readonly limit?: { readonly maximum?: number } };
  return limit?.maximum;
};
