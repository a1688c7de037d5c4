import { Router } from '@koa/router';
import type { Endpoint } from '../../ports/ports.ts';

export type EndpointMatch =
  | { readonly endpoint: Endpoint; readonly pathParameters: Readonly<Record<string, string>> }
  /** The allowed methods when no endpoint accepts the method; empty for an unknown path. */
  | { readonly allowed: readonly string[] };

/**
 * Finds endpoints by the path as sent, without decoding or normalising it. A map holds the paths without parameters.
 * The others are grouped by their first two segments, with one router for each group, so that a request is matched
 * against few patterns.
 */
export const createEndpointIndex = (
  endpoints: readonly Endpoint[],
): ((method: string, path: string) => EndpointMatch) => {
  const literals = new Map<string, Map<string, Endpoint>>();
  const routers = new Map<string, PatternRouter>();
  for (const endpoint of [...endpoints].sort(bySpecificity)) {
    if (PARAMETER.test(endpoint.path)) getOrAdd(routers, neighbourhoodOf(endpoint.path), PatternRouter).add(endpoint);
    else getOrAdd<string, Map<string, Endpoint>>(literals, endpoint.path, Map).set(endpoint.method, endpoint);
  }
  return (method, path) => {
    const literal = literals.get(path);
    const endpoint = literal?.get(method);
    if (endpoint !== undefined) return { endpoint, pathParameters: NO_PARAMETERS };
    const allowed = new Set(literal?.keys());
    for (const neighbourhood of [neighbourhoodOf(path), ANYWHERE]) {
      const found = routers.get(neighbourhood)?.find(method, path);
      if (found === undefined) continue;
      if ('endpoint' in found) return found;
      for (const other of found.allowed) allowed.add(other);
    }
    return { allowed: [...allowed] };
  };
};

/** A router for the patterns of one group, the most specific first. */
class PatternRouter {
  readonly #router = new Router({ sensitive: true, strict: true });
  readonly #endpoints = new Map<unknown, Endpoint>();

  add(endpoint: Endpoint): void {
    const layer = this.#router.register(endpoint.path, [endpoint.method], () => {});
    this.#endpoints.set(layer, endpoint);
  }

  find(method: string, path: string): EndpointMatch {
    // Reads the match from the router's layers, because the router itself answers HEAD for GET and decodes captured
    // text.
    const layers = this.#router.match(path, method).path;
    for (const layer of layers) {
      const endpoint = this.#endpoints.get(layer);
      if (endpoint?.method !== method) continue;
      const texts = layer.captures(path);
      const named = layer.paramNames.map(({ name }, index) => [name, texts[index] ?? ''] as const);
      return { endpoint, pathParameters: Object.fromEntries(named) };
    }
    return { allowed: layers.map((layer) => this.#endpoints.get(layer)?.method ?? '') };
  }
}

const PARAMETER = /\/[:*]/;
const NO_PARAMETERS: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Returns the first two literal segments with the following slash, which identify a group: `/v1/facts/` of
 * `/v1/facts/*id`.
 */
const neighbourhoodOf = (path: string): string => LEADING_SEGMENTS.exec(path)?.[0] ?? ANYWHERE;

const LEADING_SEGMENTS = /^\/[^/:*][^/]*\/[^/:*][^/]*\//;
/** The group of patterns with a parameter in their first two segments. */
const ANYWHERE = '';

/** Sorts as the port requires: a literal segment before `:name` before `*name`, then the longer end. */
const bySpecificity = (a: Endpoint, b: Endpoint): number => {
  const left = a.path.split('/');
  const right = b.path.split('/');
  for (const [index, segment] of left.entries()) {
    const difference = openness(segment) - openness(right[index]);
    if (difference !== 0) return difference;
  }
  return right.length - left.length;
};

const openness = (segment = ''): number => [':', '*'].indexOf(segment.charAt(0)) + 1;

const getOrAdd = <K, V>(map: Map<K, V>, key: K, Value: new () => V): V => {
  const present = map.get(key);
  if (present !== undefined) return present;
  const added = new Value();
  map.set(key, added);
  return added;
};
