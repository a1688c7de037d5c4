import { defineVocabulary, type Word } from './define-vocabulary.ts';

/** A relation outside the service's prefix that the node writes itself. Its facts are system facts. */
export interface ReservedRelation extends Word {
  /** The action that writes it, for the text of the refusal. */
  readonly writtenBy: string;
}

export const ReservedRelations = defineVocabulary<ReservedRelation>(
  'reserved relation',
  /^[a-z][a-z0-9-]*(:[a-z0-9-]+)+$/,
);

/**
 * Reserves a relation: `defineReservedRelation('ledger:entry', { summary, writtenBy: 'closing a ledger' })`. Clients
 * cannot assert it. The plugin lists it in `declares`. Relations under the service's own prefix are reserved without
 * it.
 */
export const defineReservedRelation = (
  id: string,
  definition: Pick<ReservedRelation, 'summary' | 'writtenBy'>,
): ReservedRelation => ReservedRelations.define(id, definition);

/** Entities under the service's prefix about which only the node asserts facts. */
export type ReservedEntities = Word;

const NOUN = /^[a-z][a-z0-9-]*$/;

export const ReservedEntities = defineVocabulary<ReservedEntities>('reserved noun of entities', NOUN);

/** Reserves all entities below a noun: `ledger` stands for `svc:ledger:` and everything below it. */
export const defineReservedEntities = (id: string, definition: { readonly summary: string }): ReservedEntities =>
  ReservedEntities.define(id, definition);

/** A relation under the service's prefix that clients may assert. */
export interface OpenRelation extends Word {
  /** The reserved entities about which clients may assert the relation nevertheless. */
  readonly about?: ReservedEntities | undefined;
}

export const OpenRelations = defineVocabulary<OpenRelation>('open relation of the node', NOUN);

/** Opens a relation to clients: `ttl` stands for `svc:ttl`. All others under the prefix are closed. */
export const defineOpenRelation = (id: string, definition: Pick<OpenRelation, 'summary' | 'about'>): OpenRelation =>
  OpenRelations.define(id, definition);
