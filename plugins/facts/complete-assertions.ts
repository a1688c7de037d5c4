import { nameOf, portions } from '../../kernel/internal-api.ts';
import {
  type DraftBatch,
  type DraftItem,
  type Facts,
  type NodeSelf,
  noteOf,
  type Principal,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import { DERIVED_FROM, REPLACES } from './assertion-members.ts';
import { referenceTo } from './derived-references.ts';
import type { Derivation } from './read-derivations.ts';
import { ttlTarget } from './ttl-target.ts';

export interface CompletionParts {
  readonly facts: Facts;
  readonly self: NodeSelf;
}

/** A draft, with the ids of the other facts that it refers to. */
interface Naming {
  readonly item: DraftItem;
  /** The id of the fact whose expiry the time-to-live sets. */
  readonly target: string | undefined;
  readonly derivations: readonly Derivation[] | undefined;
  readonly replaces: readonly string[] | undefined;
}

/**
 * Completes drafts that refer to other facts. A time-to-live moves to the garden of its target fact. Ids in
 * `derived_from` become content ids, and ids in `replaces` names, if the caller can read the facts.
 */
export const createCompleteAssertions = ({ facts, self }: CompletionParts) => {
  const { names } = self;
  const ttl = names.meta('ttl');
  return ({ items, caller }: DraftBatch): Promise<void> | undefined => {
    const naming: Naming[] = [];
    for (const item of items) {
      const target = item.byClient && item.keys.relationKey === ttl ? ttlTarget(item.draft.entity, names) : undefined;
      const derivations = noteOf(item.notes, DERIVED_FROM.note);
      const replaces = noteOf(item.notes, REPLACES.note);
      if (target !== undefined || derivations !== undefined || replaces !== undefined) {
        naming.push({ item, target, derivations, replaces });
      }
    }
    // Nearly all assertions refer to no other fact, so they complete synchronously.
    return naming.length === 0 ? undefined : complete(naming, caller, { facts, self });
  };
};

const complete = async (
  naming: readonly Naming[],
  caller: Principal,
  { facts, self }: CompletionParts,
): Promise<void> => {
  const seen = await visibleFacts(idsOf(naming), caller, facts);
  for (const { item, target, derivations, replaces } of naming) {
    // A time-to-live is visible wherever its target fact is visible.
    if (target !== undefined) item.complete({ gardenId: seen.get(target)?.gardenId ?? null });
    // An id that the caller does not see stays as it is, and is refused in the transaction.
    const named = (id: string): string =>
      nameOf(seen.get(id) ?? { id, originId: null, originNodeId: null }, self.nodeId);
    if (replaces !== undefined) item.complete({ replaces: replaces.map(named) });
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
  for (const { target, derivations = [], replaces = [] } of naming) {
    if (target !== undefined) ids.add(target);
    for (const id of replaces) ids.add(id);
    for (const derivation of derivations) if ('factId' in derivation) ids.add(derivation.factId);
  }
  return ids;
};

/** The maximum number of ids per query, because a batch may refer to a hundred thousand facts. */
const LOOK_UP_CHUNK = 1000;

/** Reads from one snapshot the facts with these ids that the caller may see. Returns them by id. */
const visibleFacts = async (
  ids: ReadonlySet<string>,
  caller: Principal,
  facts: Facts,
): Promise<ReadonlyMap<string, StoredFact>> => {
  const seen = new Map<string, StoredFact>();
  if (ids.size === 0) return seen;
  await facts.read(caller, 'get', async (reader) => {
    for (const some of portions([...ids], LOOK_UP_CHUNK)) {
      for (const [id, fact] of await reader.byGivenIds(some)) seen.set(id, fact);
    }
  });
  return seen;
};
