import {
  all,
  equals,
  type FactReader,
  type Filter,
  isIn,
  isNull,
  SCOPES,
  type Scope,
  type StoredFact,
  sha256Hex,
} from '../../kernel/plugin-api.ts';

/** The garden and scope of a fact, stored or not yet stored. */
export interface FactPlace {
  readonly scope: Scope;
  /** The UUID of the garden; null outside gardens. */
  readonly gardenId: string | null;
}

/**
 * Returns the reference by which a fact at `to` names another fact. It is the content id if every reader of the
 * reference can read that fact: same garden, and no narrower scope. Otherwise it is a digest of the fact id, because
 * anybody could guess a short value from its content id. `fact` is undefined if the writer cannot read it.
 */
export const referenceTo = (factId: string, fact: (FactPlace & { cid: string }) | undefined, to: FactPlace): string =>
  fact !== undefined && fact.gardenId === to.gardenId && scopesFor(to.scope).includes(fact.scope)
    ? fact.cid
    : `sha256:${sha256Hex(factId)}`;

/**
 * Returns the references for a copy of a fact in another garden or scope. If readers of the copy cannot read a source
 * fact, its reference becomes a digest. References to facts that the copying caller cannot see stay unchanged.
 */
export const referencesFor = async (
  to: FactPlace,
  references: readonly string[],
  reader: FactReader,
): Promise<readonly string[]> => {
  const there = all(
    isIn('scope', scopesFor(to.scope)),
    to.gardenId === null ? isNull('gardenId') : equals('gardenId', to.gardenId),
  );
  const copied = new Map<string, string>();
  for (const hash of new Set(references)) {
    const elsewhere = (await named(hash, there, reader)) === undefined ? await named(hash, all(), reader) : undefined;
    copied.set(hash, elsewhere === undefined ? hash : referenceTo(elsewhere.id, elsewhere, to));
  }
  return references.map((hash) => copied.get(hash) ?? hash);
};

const named = async (hash: string, where: Filter, reader: FactReader): Promise<StoredFact | undefined> =>
  (await reader.find(all(equals('cid', hash), where), { view: 'visible', order: 'hlc', limit: 1 }))[0];

/** Returns this scope and all wider scopes. */
const scopesFor = (scope: Scope): readonly Scope[] => SCOPES.slice(SCOPES.indexOf(scope));
