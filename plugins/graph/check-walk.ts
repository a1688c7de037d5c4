import { readRelation } from '../../kernel/internal-api.ts';
import { memberRefusal, type Notes, type Principal, readEntityUri, requireReadScope } from '../../kernel/plugin-api.ts';
import type { Moments } from '../time-travel/time-travel-api.ts';
import type { GraphWalk } from './graph-api.ts';
import { GRAPH_DEPTH_EXCEEDED } from './graph-words.ts';

const MAX_DEPTH = 2;
/** The maximum number of seeds of one walk, because their names must fit in one request line. */
export const MAX_SEEDS = 100;

/** Reads the moment of a read of the past; undefined for the present. */
export const readMoment = (asOf: string | undefined, moments: Moments | undefined): Notes | undefined => {
  if (asOf === undefined) return undefined;
  if (moments !== undefined) return moments.asOf(asOf, 'query.as_of');
  throw memberRefusal(
    'query.as_of',
    'cannot be used: there are neighbours of the present alone, because the plugin time-travel is switched off',
    'bad_parameter',
  );
};

/**
 * Returns the walk with its names in order, checked for this caller. Throws as `EntityGraph.list` rejects; a violation
 * names a query parameter.
 */
export const checkWalk = (walk: GraphWalk, caller: Principal): GraphWalk => {
  const { seeds, depth, scopes, relation, minConfidence } = walk;
  if (depth !== 1 && depth !== MAX_DEPTH) {
    throw memberRefusal('query.depth', `must be from 1 to ${MAX_DEPTH}`, GRAPH_DEPTH_EXCEEDED);
  }
  if (seeds.length === 0 || seeds.length > MAX_SEEDS) {
    throw memberRefusal('query.entity', `must name 1 to ${MAX_SEEDS} entities`, 'bad_parameter');
  }
  const named = seeds.map((seed) => readEntityUri(seed, 'query.entity'));
  for (const scope of scopes ?? []) requireReadScope(caller, scope);
  if (!(minConfidence >= 0 && minConfidence <= 1))
    throw memberRefusal('query.min_confidence', 'must be from 0 to 1', 'bad_parameter');
  return {
    ...walk,
    seeds: named,
    relation: relation === undefined ? undefined : readRelation(relation, 'query.relation'),
  };
};
