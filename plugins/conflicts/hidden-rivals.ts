import { openAmong, type ReadMoment, type SuppressibleFact, type TripleKey } from '../../kernel/internal-api.ts';
import {
  above,
  all,
  any,
  equals,
  type FactOutline,
  type HookCaller,
  isIn,
  isNull,
  not,
  type PluginSnapshot,
} from '../../kernel/plugin-api.ts';
import { rivalsHidden } from './conflicts-api.ts';
import { compareStrength } from './strength.ts';

/** Returns the ids of those of these facts that contradict no others, because they are hidden beside visible ones. */
export type HiddenRivals = (
  facts: readonly SuppressibleFact[],
  snapshot: PluginSnapshot,
) => Promise<ReadonlySet<string>>;

export const createHiddenRivals =
  (hooks: HookCaller): HiddenRivals =>
  async (facts, snapshot) => {
    // A caller who sees one fact of this node in a place sees all of them.
    const foreign = facts.filter(({ originNodeId }) => originNodeId !== null);
    if (foreign.length === 0 || !hooks.hasHandlers(rivalsHidden)) return NOTHING;
    return new Set((await hooks.collect(rivalsHidden, { facts: foreign, snapshot })).flat());
  };

const NOTHING: ReadonlySet<string> = new Set();

export interface HiddenSearch {
  readonly triple: TripleKey;
  readonly store: PluginSnapshot;
  readonly moment: ReadMoment;
  readonly hiddenRivals: HiddenRivals;
}

/**
 * Returns the strongest live facts of a triple, without those that are hidden beside visible ones. `found` are its
 * strongest facts with the hidden ones, at most `limit`, and `hidden` has the ids of those. Hidden facts must not take
 * the room of visible ones, however many they are.
 */
export const withoutHidden = async (
  found: readonly FactOutline[],
  hidden: ReadonlySet<string>,
  limit: number,
  { triple, store, moment, hiddenRivals }: HiddenSearch,
): Promise<readonly FactOutline[]> => {
  const { asOf } = moment;
  const known = all(ofTriple(triple), ...(asOf === undefined ? [] : [not(above('feed', asOf))]));
  const origins = new Set<string>();
  for (let [facts, without] = [found, hidden]; ; without = await hiddenRivals(facts, store)) {
    const behind = facts.flatMap(({ id, originNodeId }) => (without.has(id) && originNodeId ? [originNodeId] : []));
    if (facts.length < limit || behind.length === 0) return facts.filter(({ id }) => !without.has(id));
    // A tombstone that hides a fact hides all facts of the same node in the place.
    for (const origin of behind) origins.add(origin);
    const others = any(isNull('originNodeId'), not(isIn('originNodeId', [...origins])));
    facts = [...(await store.outline(openAmong(all(known, others), moment), limit, 'strength'))].sort(compareStrength);
  }
};

const ofTriple = ({ tenantId, entityKey, relationKey, scope, gardenId }: TripleKey) =>
  all(
    equals('tenantId', tenantId),
    equals('entityKey', entityKey),
    equals('relationKey', relationKey),
    equals('scope', scope),
    equals('place', gardenId ?? ''),
  );
