import {
  type Clock,
  type Leases,
  type NodeSelf,
  type PluginTables,
  type PluginTransaction,
  type ServedTenants,
  SUPPRESSION_CHANGED,
  type WritableTables,
} from '../../../kernel/plugin-api.ts';
import { formerKeyIds, type NodeIdentity, type NodeInfo } from '../../node-info/node-info-api.ts';
import { signedRevocation, signedTombstone } from './marker-document.ts';
import { revocationsOf, tombstoneById, updateMarker, updateRevocation } from './marker-store.ts';
import { MARKERS, REVOCATIONS } from './marker-tables.ts';

export interface SignAgainParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly leases: Leases;
  readonly self: NodeSelf;
  readonly identity: NodeIdentity;
  readonly info: NodeInfo;
  readonly served: Pick<ServedTenants, 'resting'>;
}

export const SIGN_AGAIN_INTERVAL_MS = 60_000;
/** The number of tombstones that one transaction signs again. */
const PIECE = 100;

/**
 * Signs the tombstones and revocations of this node by its current key that an earlier one has signed, in one of the
 * processes that share the store. The rows name their key, so the next run continues after a kill.
 */
export const createSignAgain = (parts: SignAgainParts): (() => Promise<void>) => {
  const { tables, leases, self, identity, info, served } = parts;
  const lease = leases.hold('tombstones signatures');
  const namesIn = (table: string, former: readonly string[]) =>
    tables(table)
      .where('signed_by', self.nodeId)
      .whereIn('key_id', former)
      .whereNotIn('tenant_id', [...served.resting])
      .limit(PIECE)
      .select('tenant_id', 'tombstone_id');
  return async () => {
    await lease.whileHeld(async () => {
      const former = await formerKeyIds(info, identity);
      if (former.length === 0) return;
      for (let isOver = false; !isOver; ) {
        const found = [...(await namesIn(MARKERS, former)), ...(await namesIn(REVOCATIONS, former))];
        const tenants = new Set(found.map((row) => String(row['tenant_id'])));
        let signed = 0;
        for (const tenantId of tenants) {
          const ofTenant = found.filter((row) => row['tenant_id'] === tenantId);
          const ids = new Set(ofTenant.map((row) => String(row['tombstone_id'])));
          const count = await tables.writeUnlessErased(tenantId, async (own, transaction) => {
            for (const id of ids) await signAgain({ tenantId, id }, own, transaction, parts);
            return ids.size;
          });
          signed += count ?? 0;
        }
        isOver = found.length < PIECE || signed === 0;
      }
    });
  };
};

const signAgain = async (
  named: { readonly tenantId: string; readonly id: string },
  own: WritableTables,
  transaction: PluginTransaction,
  { clock, identity, self }: SignAgainParts,
): Promise<void> => {
  const tombstone = await tombstoneById(own, named);
  if (tombstone === undefined) return;
  const [revocation] = await revocationsOf(own, named.tenantId, [named.id]);
  if (revocation?.signedBy === self.nodeId) {
    await updateRevocation(own, named, signedRevocation(revocation, identity));
  }
  if (tombstone.signedBy !== self.nodeId) return;
  const feed = await transaction.announce(SUPPRESSION_CHANGED, [named.id], clock.nowMs());
  await updateMarker(own, signedTombstone(tombstone, identity), feed);
};
