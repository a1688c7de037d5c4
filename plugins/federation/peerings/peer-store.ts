import type { PluginTables, ReadableTables, WritableTables } from '../../../kernel/plugin-api.ts';
import { nodeDigest, peeringFromRow, rowOfPeering, type StoredPeering } from './peer-row.ts';
import { PEERS_TABLE } from './peering-tables.ts';
import { PEERS_CHANGED } from './peerings.ts';

/** The maximum number of peers per tenant. */
export const MAX_PEERS_PER_TENANT = 1_000;

/**
 * Reads and writes peerings. Lists omit damaged rows, so that these grant nothing. Nothing is cached, so a change takes
 * effect in all processes with its commit.
 */
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

  /** Returns the peerings of all tenants with a node: active ones first, in the order of their establishment. */
  async byNode(own: ReadableTables, nodeId: string): Promise<StoredPeering[]> {
    const rows = await own.select(PEERS_TABLE, { node_digest: nodeDigest(nodeId) });
    return own.parse(rows, peeringFromRow).sort(byRank);
  }

  /** Returns the peerings of a tenant with these nodes, at most one for each node. */
  async ofNodes(own: ReadableTables, tenantId: string, nodeIds: readonly string[]): Promise<StoredPeering[]> {
    const digests = nodeIds.map(nodeDigest);
    return own.parse(await own.select(PEERS_TABLE, { tenant_id: tenantId, node_digest: digests }), peeringFromRow);
  }

  async withStatus(own: ReadableTables, status: readonly string[]): Promise<StoredPeering[]> {
    return own.parse(await own.select(PEERS_TABLE, { status }), peeringFromRow).sort(byAge);
  }

  async ofTenant(own: ReadableTables, tenantId: string): Promise<StoredPeering[]> {
    return own.parse(await own.select(PEERS_TABLE, { tenant_id: tenantId }), peeringFromRow).sort(byAge);
  }

  async count(own: ReadableTables, tenantId: string): Promise<number> {
    const [row] = (await own(PEERS_TABLE).where('tenant_id', tenantId).count({ n: '*' })) as { n: number | string }[];
    return Number(row?.n ?? 0);
  }

  async insert(own: WritableTables, peering: StoredPeering): Promise<void> {
    const row = rowOfPeering(peering);
    // Lists omit damaged rows, but the row exists and must not be inserted again.
    await this.#first(own, { tenant_id: peering.tenantId, node_digest: nodeDigest(peering.nodeId) });
    await own.insertRows(PEERS_TABLE, [row]);
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
    return own.parseOne(row, peeringFromRow);
  }
}

const byRank = (a: StoredPeering, b: StoredPeering): number =>
  Number(b.status === 'active') - Number(a.status === 'active') ||
  (a.establishedMs ?? 0) - (b.establishedMs ?? 0) ||
  byAge(a, b);

const byAge = (a: StoredPeering, b: StoredPeering): number =>
  a.createdMs - b.createdMs || (a.peerId < b.peerId ? -1 : 1);
