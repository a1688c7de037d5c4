import type { Row, TextOwner } from '../../ports/ports.ts';

/** No column has a symbol as its name, so the member never reaches a store. */
const OWNER = Symbol('owner');

interface Owned {
  readonly [OWNER]?: TextOwner | null;
}

/**
 * Returns a member for a row that a plugin writes: it names the facts with whose key the content of the row is sealed.
 * Null for content that repeats nothing of a fact, such as what an erasure leaves: that has the key of the tenant.
 */
export const ownedBy = (owner: TextOwner | null): Owned => ({
  [OWNER]: owner && { entityKey: owner.entityKey, scope: owner.scope },
});

/** Returns the owner that `ownedBy` has put into a row; undefined for a row without one. */
export const ownerOf = (row: Row): TextOwner | null | undefined => (row as Owned)[OWNER];

/** Returns the member of `ownedBy` for another row, if this row has it. */
export const ownedAs = (row: Row): Owned => {
  const owner = ownerOf(row);
  return owner === undefined ? {} : ownedBy(owner);
};
