import {
  type Clock,
  compareHlc,
  type Hlc,
  type PluginTables,
  type ReadableTables,
  type Scope,
} from '../../../kernel/plugin-api.ts';
import type { Peering } from '../peerings/peering.ts';
import { SERVED_TABLE } from './serving-tables.ts';

/** The position in this node's feed from which a peer last read. */
export interface ServedCursor {
  /** The scope that the peer requested; `all` if it requested all its scopes. */
  readonly scope: Scope | 'all';
  readonly cursor: Hlc;
  readonly askedMs: number;
}

/** Records how far each peer has read. A peer has stored all facts before the cursor that it sends. */
export interface ServedCursors {
  /** Records the cursor of a request. Writes at most once in ten seconds, and only if the cursor has moved. */
  asked(peering: Peering, scope: ServedCursor['scope'], cursor: Hlc): Promise<void>;
  of(own: ReadableTables, peering: Pick<Peering, 'tenantId' | 'peerId'>): Promise<readonly ServedCursor[]>;
}

const WRITE_EVERY_MS = 10_000;
/** The maximum number of cached positions. */
const MAX_KNOWN = 4_096;

export const createServedCursors = (tables: PluginTables, clock: Clock): ServedCursors => {
  const written = new Map<string, { readonly cursor: Hlc; readonly atMs: number }>();
  return {
    async asked({ tenantId, peerId }, scope, cursor) {
      const key = `${peerId} ${scope}`;
      const before = written.get(key);
      const atMs = clock.monotonicMs();
      if (before !== undefined) {
        if (compareHlc(before.cursor, cursor) === 0 || atMs - before.atMs < WRITE_EVERY_MS) return;
      }
      if (written.size >= MAX_KNOWN) written.clear();
      written.set(key, { cursor, atMs });
      const place = { feed_wall: cursor.wallMs, feed_ctr: cursor.counter, asked_ms: clock.nowMs() };
      await tables(SERVED_TABLE)
        .insert({ tenant_id: tenantId, peer_id: peerId, scope, ...place })
        .onConflict(['tenant_id', 'peer_id', 'scope'])
        .merge();
    },
    async of(own, { tenantId, peerId }) {
      const rows = await own.select(SERVED_TABLE, { tenant_id: tenantId, peer_id: peerId });
      return rows.map((row) => ({
        scope: String(row['scope']) as ServedCursor['scope'],
        cursor: { wallMs: Number(row['feed_wall']), counter: Number(row['feed_ctr']) },
        askedMs: Number(row['asked_ms']),
      }));
    },
  };
};
