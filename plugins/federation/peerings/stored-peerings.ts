import type { Clock, PluginSnapshot, PluginTables } from '../../../kernel/plugin-api.ts';
import type { KeyRefresher } from './key-refresher.ts';
import type { PeerStore } from './peer-store.ts';
import type { Peering } from './peering.ts';
import type { Peerings } from './peerings.ts';

export interface StoredPeeringsParts {
  readonly store: PeerStore;
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly refresher: KeyRefresher;
}

/** The minimum time between two requests for a peer's keys. */
const REFRESH_PAUSE_MS = 30_000;
const MAX_REMEMBERED = 4_096;

/** Reads peerings from the store; each read is one statement. */
export class StoredPeerings implements Peerings {
  readonly #parts: StoredPeeringsParts;
  /** The start and the result of the last key refresh, by peer id. */
  readonly #refreshes = new Map<string, { readonly startedMs: number; readonly run: Promise<Peering> }>();

  constructor(parts: StoredPeeringsParts) {
    this.#parts = parts;
  }

  withNode(nodeId: string): Promise<readonly Peering[]> {
    const { store } = this.#parts;
    return store.read((own) => store.byNode(own, nodeId));
  }

  async withNodes(tenantId: string, nodeIds: readonly string[]): Promise<ReadonlyMap<string, Peering>> {
    const { store } = this.#parts;
    const found = await store.read((own) => store.ofNodes(own, tenantId, nodeIds));
    return new Map(found.map((peering) => [peering.nodeId, peering]));
  }

  get(peerId: string): Promise<Peering | undefined> {
    const { store } = this.#parts;
    return store.read((own) => store.byIdAlone(own, peerId));
  }

  active(): Promise<readonly Peering[]> {
    const { store } = this.#parts;
    return store.read((own) => store.withStatus(own, ['active']));
  }

  read(snapshot: PluginSnapshot, tenantId: string, peerId: string): Promise<Peering | undefined> {
    const { store, tables } = this.#parts;
    return store.byId(tables.in(snapshot), tenantId, peerId);
  }

  async refreshKeys(peering: Peering): Promise<Peering> {
    const { clock, refresher } = this.#parts;
    const last = this.#refreshes.get(peering.peerId);
    if (last !== undefined && clock.monotonicMs() - last.startedMs < REFRESH_PAUSE_MS) {
      await last.run.catch(() => {});
      return (await this.get(peering.peerId)) ?? peering;
    }
    const run = refresher.refresh(peering);
    this.#refreshes.delete(peering.peerId);
    if (this.#refreshes.size >= MAX_REMEMBERED) this.#refreshes.delete(this.#refreshes.keys().next().value as string);
    this.#refreshes.set(peering.peerId, { startedMs: clock.monotonicMs(), run });
    return run;
  }
}
