import {
  type DraftBatch,
  type DraftItem,
  type Facts,
  noteOf,
  type Principal,
  type ServiceNames,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import { DERIVED_FROM } from './assertion-members.ts';
import { referenceTo } from './derived-references.ts';
import type { Derivation } from './read-derivations.ts';
import { ttlTarget } from './ttl-target.ts';

export interface CompletionParts {
  readonly facts: Facts;
  readonly names: ServiceNames;
}

/** The other facts that an assertion refers to. */
interface Naming {
  readonly item: DraftItem;
  /** Id of the fact that the time-to-live ends. */
  readonly target: string | undefined;
  readonly derivations: readonly Derivation[] | undefined;
}

/**
 * Completes drafts that refer to other facts. A time-to-live moves to the garden of its fact. Ids in `derived_from`
 * become content ids if the caller can read the fact.
 */
export const createCompleteAssertions = ({ facts, names }: CompletionParts) => {
  const ttl = names.meta('ttl');
  return ({ items, caller }: DraftBatch): Promise<void> | undefined => {
    const naming: Naming[] = [];
    for (const item of items) {
      const target = item.byClient && item.keys.relationKey === ttl ? ttlTarget(item.draft.entity, names) : undefined;
      const derivations = noteOf(item.notes, DERIVED_FROM.note);
      if (target !== undefined || derivations !== undefined) naming.push({ item, target, derivations });
    }
    // Nearly all assertions refer to no other fact, and need no wait.
    return naming.length === 0 ? undefined : complete(naming, caller, facts);
  };
};

const complete = async (naming: readonly Naming[], caller: Principal, facts: Facts): Promise<void> => {
  const seen = await visibleFacts(idsOf(naming), caller, facts);
  for (const { item, target, derivations } of naming) {
    // A time-to-live is visible wherever its fact is visible.
    if (target !== undefined) item.complete({ gardenId: seen.get(target)?.gardenId ?? null });
    if (derivations === undefined) continue;
    item.complete({
      derivedFrom: (place) =>
        derivations.map((derivation) =>
          'hash' in derivation ? derivation.hash : referenceTo(derivation.factId, seen.get(derivation.factId), place),
        ),
    });
  }
};

const idsOf = (naming: readonly Naming[]): ReadonlySet<string> => {
  const ids = new Set<string>();
  for (const { target, derivations = [] } of naming) {
    if (target !== undefined) ids.add(target);
    for (const derivation of derivations) if ('factId' in derivation) ids.add(derivation.factId);
  }
  return ids;
};

/** Ids per query: a batch may refer to a hundred thousand facts. */
const LOOK_UP_CHUNK = 1000;

/** The facts among these ids that the caller may see, by id, read from one snapshot. */
const visibleFacts = async (
  ids: ReadonlySet<string>,
  caller: Principal,
  facts: Facts,
): Promise<ReadonlyMap<string, StoredFact>> => {
  const seen = new Map<string, StoredFact>();
  if (ids.size === 0) return seen;
  const all = [...ids];
  await facts.read(caller, 'get', async (reader) => {
    for (let at = 0; at < all.length; at += LOOK_UP_CHUNK) {
      for (const fact of await reader.visible(all.slice(at, at + LOOK_UP_CHUNK))) seen.set(fact.id, fact);
    }
  });
  return seen;
};
