import {
  all,
  type Clock,
  equals,
  FACT_RETURNED,
  isIn,
  isNull,
  not,
  type PluginTables,
  ServiceError,
} from '../../../kernel/plugin-api.ts';
import { rowPages, type TransferLine, type TransferSection } from '../../transfer/transfer-api.ts';
import { PROOFS_TABLE } from '../serving/serving-tables.ts';
import { proofFromRow, rowOfProof } from './proof-rows.ts';

/**
 * Exports and imports the proofs of facts of other nodes, because only their origins can create them. This node signs
 * its own facts again when a peer requests them. An import adds the facts to the feed again, because peers that require
 * proofs may have refused them meanwhile.
 */
export const transferProofs = (tables: PluginTables, clock: Pick<Clock, 'nowMs'>): TransferSection => ({
  type: 'origin_proof',
  async *pages(snapshot, tenantId) {
    for await (const rows of rowPages(tables.in(snapshot), PROOFS_TABLE, 'fact_id', tenantId)) {
      const ids = rows.map((row) => String(row['fact_id']));
      const whole = all(not(isNull('cid')), not(isNull('receivedFrom')));
      const found = await snapshot.outline(all(equals('tenantId', tenantId), isIn('id', ids), whole));
      const received = new Set(found.map(({ id }) => id));
      yield rows.map(proofFromRow).flatMap(({ factId, keyId, signature, hidden, isVerified }): TransferLine[] => {
        if (hidden === null || !received.has(factId)) return [];
        const { salt, refsSalt } = hidden;
        return [{ fact_id: factId, key_id: keyId, salt, refs_salt: refsSalt, signature, verified: isVerified }];
      });
    }
  },
  async take(transaction, tenantId, line) {
    const factId = textOf(line, 'fact_id');
    const fact = await transaction.get(tenantId, factId);
    if (fact === undefined || fact.receivedFrom === null) throw broken('fact_id');
    const own = tables.in(transaction);
    if ((await own.select(PROOFS_TABLE, { tenant_id: tenantId, fact_id: factId })).length > 0) return false;
    // The salt of an erased fact must not return.
    if (fact.cid === '') return false;
    const proof = {
      keyId: textOf(line, 'key_id'),
      salt: textOf(line, 'salt'),
      refsSalt: textOf(line, 'refs_salt'),
      signature: textOf(line, 'signature'),
    };
    await own.insertRows(PROOFS_TABLE, [rowOfProof(fact, proof, line['verified'] === true)]);
    await transaction.announce(FACT_RETURNED, [factId], clock.nowMs());
    return true;
  },
});

/** The longest text of a proof that a node takes from a peer. */
const MAX_TEXT = 256;

const textOf = (line: TransferLine, name: string): string => {
  const value = line[name];
  if (typeof value === 'string' && value !== '' && value.length <= MAX_TEXT) return value;
  throw broken(name);
};

const broken = (name: string): ServiceError =>
  new ServiceError('validation', `${name} is missing or not what an export holds there`);
