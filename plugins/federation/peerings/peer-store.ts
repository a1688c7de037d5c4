import type { PluginTables, ReadableTables, WritableTables } from '../../../kernel/plugin-api.ts';
import { nodeDigest, peeringFromRow, rowOfPeering, type StoredPeering } from './peer-row.ts';
import { PEERS_TABLE } from './peering-tables.ts';
import { PEERS_CHANGED } from './peerings.ts';

/** The maximum number of peers per tenant, more than anybody manages by hand. */
export const MAX_PEERS_PER_TENANT = 1_000;

/** Reads and writes peerings. It caches nothing, so a change by one process takes effect in all with its commit. */
export class PeerStore {
  readonly #tables: PluginTables;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  read<T>(work: (own: ReadableTables) => Promise<T>): Promise<T> {
    return this.#tables.read(work);
  }

  byId(own: ReadableTables, tenantId: string, peerId: string): Promise<StoredPeering | undefined> {
    return this.#first(own, { tenant_id: tenantId, peer_id: peerId });
  }

  byIdAlone(own: ReadableTables, peerId: string): Promise<StoredPeering | undefined> {
    return this.#first(own, { peer_id: peerId });
  }

  /**
   * Returns peerings of any tenant. If several tenants have had the node as a peer, one that is not revoked comes
   * first.
   */
  async byNode(own: ReadableTables, ...nodeIds: readonly string[]): Promise<StoredPeering[]> {
    const rows = await own.select(PEERS_TABLE, { node_digest: nodeIds.map(nodeDigest) });
    return rows
      .map(peeringFromRow)
      .sort((a, b) => Number(a.status === 'revoked') - Number(b.status === 'revoked') || b.createdMs - a.createdMs);
  }

  async withStatus(own: ReadableTables, status: readonly string[]): Promise<StoredPeering[]> {
    return (await own.select(PEERS_TABLE, { status })).map(peeringFromRow).sort(byAge);
  }

  async ofTenant(own: ReadableTables, tenantId: string): Promise<StoredPeering[]> {
    return (await own.select(PEERS_TABLE, { tenant_id: tenantId })).map(peeringFromRow).sort(byAge);
  }

  async count(own: ReadableTables, tenantId: string): Promise<number> {
    const [row] = (await own(PEERS_TABLE).where('tenant_id', tenantId).count({ n: '*' })) as { n: number | string }[];
    return Number(row?.n ?? 0);
  }

  async insert(own: WritableTables, peering: StoredPeering): Promise<void> {
    await own.insertRows(PEERS_TABLE, [rowOfPeering(peering)]);
    own.signal(PEERS_CHANGED);
  }

  async update(own: WritableTables, peering: StoredPeering): Promise<void> {
    const { tenant_id, peer_id, ...columns } = rowOfPeering(peering);
    await own(PEERS_TABLE).where({ tenant_id, peer_id }).update(columns);
    own.signal(PEERS_CHANGED);
  }

  /** Records a metadata request. It sends no signal, because no worker reacts to it. */
  async checked(own: WritableTables, { tenantId, peerId }: StoredPeering, nowMs: number): Promise<void> {
    await own(PEERS_TABLE).where({ tenant_id: tenantId, peer_id: peerId }).update({ checked_ms: nowMs });
  }

  async #first(own: ReadableTables, where: Readonly<Record<string, string>>): Promise<StoredPeering | undefined> {
    const [row] = await own.select(PEERS_TABLE, where);
    return row === undefined ? undefined : peeringFromRow(row);
  }
}

const byAge = (a: StoredPeering, b: StoredPeering): number =>
  a.createdMs - b.createdMs || (a.peerId < b.peerId ? -1 : 1);
