import {
  type ChainPlace,
  checkpointAfter,
  hashBytes,
  hashText,
  type MigrationData,
  type MigrationProgress,
  type MigrationSchema,
  ServiceError,
  type SqlValue,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import { ANCHORS_TABLE, CHECKPOINTS, CHECKPOINTS_TABLE } from './fact-chain-tables.ts';
import { FACT_CHAIN_MISMATCH } from './fact-chain-words.ts';
import { verifyLinks } from './verify-links.ts';

/** Links that one step verifies. */
export const LINKS_PER_STEP = 2_000;

/**
 * Makes the table of anchors, with a row for each chain that was verified while links had a table of their own. Nothing
 * happens the second time.
 */
export const makeAnchors = async ({ schema, data, tables }: MigrationSchema): Promise<void> => {
  if ((await tables()).includes(ANCHORS_TABLE)) return;
  await schema.alterTable(CHECKPOINTS_TABLE, (table) => {
    table.bigInteger('covered_number');
  });
  await schema.createTable(ANCHORS_TABLE, (table) => {
    table.text('tenant_id').notNullable().primary();
    table.bigInteger('old_chain_seq').notNullable();
    table.text('old_chain_hash').notNullable();
    table.bigInteger('ledger_number').notNullable();
    table.bigInteger('chain_seq').notNullable();
    table.text('chain_hash').notNullable();
    table.bigInteger('anchored_ms');
  });
  const tenants = (await data.table(CHECKPOINTS_TABLE).distinct('tenant_id')) as { readonly tenant_id: string }[];
  for (const { tenant_id } of tenants) {
    const newest = await CHECKPOINTS.newest(data.table, tenant_id);
    if (newest === undefined) continue;
    const { seq, hash } = newest.link;
    const old = { tenant_id, old_chain_seq: seq, old_chain_hash: hashText(hash) };
    await data.insertRows(ANCHORS_TABLE, [
      { ...old, ledger_number: 0, chain_seq: 0, chain_hash: '', anchored_ms: null },
    ]);
  }
};

/**
 * Gives each chain that was verified under its old links a checkpoint at the same place of its new ones, so that proofs
 * go on from there. What a checkpoint covers is never looked at again, so it is verified first. A chain that does not
 * hold gets its checkpoint before the wrong link, or none.
 */
export const anchorInSteps = async (schema: MigrationSchema, progress: MigrationProgress): Promise<boolean> => {
  await makeAnchors(schema);
  const { data } = schema;
  const next = data.table(ANCHORS_TABLE).whereNull('anchored_ms').orderBy('tenant_id').limit(1);
  const [row] = (await next) as Record<string, SqlValue>[];
  if (row === undefined) return true;
  const anchor = anchorFromRow(row);
  const reached = await verifyNext(anchor, data);
  progress(reached?.link.seq ?? 0, anchor.oldSeq, 'links of facts verified');
  const isSettled = reached === anchor.place || reached?.link.seq === anchor.oldSeq;
  const nowMs = await data.databaseMs();
  await data
    .table(ANCHORS_TABLE)
    .where('tenant_id', anchor.tenantId)
    .update({ ...placeRow(reached), anchored_ms: isSettled ? nowMs : null });
  if (isSettled) await settle(anchor.tenantId, reached, nowMs, data);
  return false;
};

const settle = async (
  tenantId: string,
  place: ChainPlace | undefined,
  nowMs: number,
  data: MigrationData,
): Promise<void> => {
  if (place === undefined) {
    await data.table(CHECKPOINTS_TABLE).where('tenant_id', tenantId).delete();
    return;
  }
  const last = await CHECKPOINTS.newest(data.table, tenantId);
  // A migration has no chance of its own to draw from. The place is unique.
  const id = `chaincp_${sha256Hex(`${tenantId} ${hashText(place.link.hash)}`).slice(0, 32)}`;
  await data.insertRows(CHECKPOINTS_TABLE, [CHECKPOINTS.row(checkpointAfter(last, tenantId, place, { id, nowMs }))]);
};

interface Anchor {
  readonly tenantId: string;
  readonly oldSeq: number;
  readonly place: ChainPlace | undefined;
}

/** Stays at its place when the next links do not hold. */
const verifyNext = async (
  { tenantId, place, oldSeq }: Anchor,
  data: MigrationData,
): Promise<ChainPlace | undefined> => {
  const head = await data.ledgerHead(tenantId);
  const limit = Math.min(LINKS_PER_STEP, oldSeq - (place?.link.seq ?? 0));
  try {
    return await verifyLinks({ tenantId, from: place, head, limit }, data);
  } catch (error) {
    if (error instanceof ServiceError && error.code === FACT_CHAIN_MISMATCH.id) return place;
    throw error;
  }
};

const placeRow = (place: ChainPlace | undefined) => ({
  ledger_number: place?.number ?? 0,
  chain_seq: place?.link.seq ?? 0,
  chain_hash: place === undefined ? '' : hashText(place.link.hash),
});

const anchorFromRow = (row: Readonly<Record<string, SqlValue>>): Anchor => {
  const seq = Number(row['chain_seq']);
  const link = { seq, hash: hashBytes(String(row['chain_hash'])) };
  return {
    tenantId: String(row['tenant_id']),
    oldSeq: Number(row['old_chain_seq']),
    place: seq === 0 ? undefined : { number: Number(row['ledger_number']), link },
  };
};
