import type { Cover, NamedFact, SqlValue } from '../../ports/ports.ts';
import type { InsertTarget } from './sql-engine.ts';

const COLUMNS = [
  'tenant_id',
  'fact_id',
  'kind',
  'asserted_by',
  'entity_key',
  'relation_key',
  'scope',
  'place',
  'speaker',
  'hlc_wall',
  'hlc_ctr',
  'since_wall',
  'since_ctr',
];

export const COVERS: InsertTarget = {
  table: 'fact_covers',
  columns: COLUMNS,
  unlessTaken: ['tenant_id', 'fact_id'],
};

/** Covers that end one named fact. */
export const NAMED_COVERS: InsertTarget = {
  table: 'fact_named_covers',
  columns: [...COLUMNS, 'named_id', 'named_origin', 'is_own'],
  unlessTaken: ['tenant_id', 'fact_id', 'named_id', 'named_origin'],
};

export const rowOfCover = (cover: Cover): SqlValue[] => [
  cover.tenantId,
  cover.factId,
  cover.kind,
  cover.assertedBy,
  cover.entityKey,
  cover.relationKey,
  cover.scope,
  cover.gardenId ?? '',
  cover.speaker ?? '',
  cover.hlc.wallMs,
  cover.hlc.counter,
  cover.since.wallMs,
  cover.since.counter,
];

export const rowOfNamedCover = (cover: Cover, { id, origin, isOwn }: NamedFact): SqlValue[] => [
  ...rowOfCover(cover),
  id,
  origin,
  Number(isOwn),
];
