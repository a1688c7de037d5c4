import { grouped } from '../../../kernel/internal-api.ts';
import {
  all,
  equals,
  isIn,
  isNull,
  type Leases,
  type PluginTables,
  type Row,
  type StoredFact,
} from '../../../kernel/plugin-api.ts';
import { formerKeyIds, type NodeInfo } from '../../node-info/node-info-api.ts';
import { PROOFS_TABLE } from '../serving/serving-tables.ts';
import type { OriginProofs, RenewedProof } from './origin-proof.ts';
import { proofFromRow } from './proof-rows.ts';
import { type SigningParts, signOwnFacts } from './sign-own-facts.ts';

export interface SignAgainParts extends SigningParts {
  readonly tables: PluginTables;
  readonly leases: Leases;
  readonly info: Pick<NodeInfo, 'metadata'>;
  readonly proofs: Pick<OriginProofs, 'renew'>;
}

/** The number of facts that one transaction signs again. */
const PIECE = 200;
/** The maximum number of transactions per run. The next run continues. */
const PIECES = 250;

export const SIGN_AGAIN_INTERVAL_MS = 60_000;

interface Position {
  readonly tenantId: string;
  readonly factId: string;
}

/**
 * Finds this node's own facts whose proofs are signed by a former key, and signs them with the current key. A lease
 * lets only one process do this. Each row names its key, so the next run continues after a kill.
 */
export const createSignAgain = (parts: SignAgainParts): (() => Promise<void>) => {
  const lease = parts.leases.hold('federation proofs');
  return async () => {
    await lease.whileHeld(async () => {
      const ended = await formerKeyIds(parts.info, parts.identity);
      let after: Position | undefined = { tenantId: '', factId: '' };
      for (let piece = 0; piece < PIECES && ended.length > 0 && after !== undefined; piece += 1) {
        after = await signPiece(ended, after, parts);
      }
    });
  };
};

/** Signs the next facts in the order of their keys. Returns the last one; undefined when none are left. */
const signPiece = async (
  ended: readonly string[],
  after: Position,
  parts: SignAgainParts,
): Promise<Position | undefined> => {
  const { tables, proofs } = parts;
  const rows: Row[] = await tables.read((own) =>
    own(PROOFS_TABLE)
      .whereIn('key_id', ended)
      .whereNotNull('salt')
      .whereNotNull('refs_salt')
      .where('tenant_id', '>=', after.tenantId)
      .whereNot((before) => before.where('tenant_id', after.tenantId).where('fact_id', '<=', after.factId))
      .orderBy(['tenant_id', 'fact_id'])
      .limit(PIECE),
  );
  for (const [tenantId, own] of grouped(rows, (row) => String(row['tenant_id']))) {
    const renewed = await signRows(own, tenantId, parts);
    if (renewed.length === 0) continue;
    await tables.writeUnlessErased(tenantId, (_own, transaction) => proofs.renew(renewed, tenantId, transaction));
  }
  const last = rows.at(-1);
  if (rows.length < PIECE || last === undefined) return undefined;
  return { tenantId: String(last['tenant_id']), factId: String(last['fact_id']) };
};

/** Signs these facts of this node again. Skips received facts that only name a key of this node. */
const signRows = async (
  rows: readonly Row[],
  tenantId: string,
  parts: SignAgainParts,
): Promise<readonly RenewedProof[]> => {
  const ids = rows.map((row) => proofFromRow(row).factId);
  const filter = all(equals('tenantId', tenantId), isIn('id', ids), isNull('receivedFrom'));
  const facts: readonly StoredFact[] = await parts.tables.read((_own, snapshot) =>
    snapshot.find({ filter, order: 'feed', limit: ids.length }),
  );
  const whole = facts.filter(({ cid }) => cid !== '');
  const made = await signOwnFacts(parts, whole);
  return whole.map(({ id }, at) => ({ id, proof: made[at] as RenewedProof['proof'] }));
};
