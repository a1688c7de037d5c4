import { hasForbiddenCodePoint } from '../../../kernel/internal-api.ts';
import {
  defineRef,
  memberRefusal,
  type PluginTables,
  type Principal,
  type Row,
  requirePermission,
  ServiceError,
} from '../../../kernel/plugin-api.ts';
import type { PeerExchange } from '../../federation/federation-api.ts';
import { FOLLOWS } from '../markers/marker-tables.ts';

/** Manages the peers whose tombstones this node reads. */
export interface TombstoneFollows {
  /**
   * Starts to read the tombstones of a peer, with a capability token that the peer issued to this node. Replaces the
   * token of a peer that is followed already. Needs `admin`. Rejects with `lookup` for an unknown peer.
   */
  follow(caller: Principal, peerId: string, capability: string): Promise<void>;
  /** Returns the followed peers whose tombstones could not be read at the last attempt. Needs `admin`. */
  failing(caller: Principal): Promise<readonly FailingFollow[]>;
}

export interface FailingFollow {
  readonly peerId: string;
  readonly reason: string;
}

export const TombstoneFollows = defineRef<TombstoneFollows>('tombstones.follows');

const MAX_CAPABILITY_LENGTH = 96 * 1024;

export const createFollows = (tables: PluginTables, exchange: PeerExchange | undefined): TombstoneFollows => ({
  async follow(caller, peerId, capability) {
    requirePermission(caller, 'admin');
    const { tenantId } = caller;
    const isText = capability.length <= MAX_CAPABILITY_LENGTH && !hasForbiddenCodePoint(capability);
    if (!isText || capability.trim() === '') {
      throw memberRefusal('capability', 'must be the text of a capability token that the peer has issued');
    }
    if ((await exchange?.find(tenantId, peerId)) === undefined) throw new ServiceError('lookup', 'no such peer');
    const row = { tenant_id: tenantId, peer_id: peerId, capability: capability.trim(), due_ms: 0, failures: 0 };
    await tables(FOLLOWS)
      .insert({ ...row, cursor: null, epoch: null, last_error: null })
      .onConflict(['tenant_id', 'peer_id'])
      .merge(['capability', 'due_ms', 'failures']);
  },
  async failing(caller) {
    requirePermission(caller, 'admin');
    const rows: Row[] = await tables(FOLLOWS)
      .where('tenant_id', caller.tenantId)
      .whereNotNull('last_error')
      .orderBy('peer_id');
    return rows.map((row) => ({ peerId: String(row['peer_id']), reason: String(row['last_error']) }));
  },
});
