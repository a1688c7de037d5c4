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

/** The place and scope of a stored or future fact. */
export interface FactPlace {
  readonly scope: Scope;
  /** Garden identifier (UUID), null outside gardens. */
  readonly gardenId: string | null;
}

/**
 * The reference by which a fact at `to` names another fact. It is the other fact's content id if every reader of the
 * reference can read that fact: same place, and no narrower scope. Otherwise it is a digest of the id, because a short
 * value can be guessed from its content id. `fact` is undefined if the writer cannot read it.
 */
export const referenceTo = (factId: string, fact: (FactPlace & { cid: string }) | undefined, to: FactPlace): string =>
  fact !== undefined && fact.gardenId === to.gardenId && scopesFor(to.scope).includes(fact.scope)
    ? fact.cid
    : `sha256:${sha256Hex(factId)}`;

/**
 * The references of a fact that is copied to another place. A reference becomes a dead end in the copy if its fact is
 * not readable there. References to facts that the reader cannot see stay as they are.
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

/** This scope and all wider ones. */
const scopesFor = (scope: Scope): readonly Scope[] => SCOPES.slice(SCOPES.indexOf(scope));
