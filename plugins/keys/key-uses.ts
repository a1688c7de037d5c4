import { eachInTurn, grouped, portions } from '../../kernel/internal-api.ts';
import type { Clock, PluginTables, ReadableTables } from '../../kernel/plugin-api.ts';
import type { StoredKey } from './key-row.ts';
import { API_KEYS_TABLE, USES_TABLE } from './keys-migrations.ts';

/** The minimum time between two recorded uses of a key, so that a busy key costs six writes an hour. */
export const USE_PRECISION_MS = 10 * 60_000;
const KEYS_PER_STATEMENT = 500;

type UsedKey = Pick<StoredKey, 'id' | 'tenantId'>;

interface Use {
  readonly key: UsedKey;
  usedMs: number;
  /** The instant stored in the database; 0 while it is unknown. */
  writtenMs: number;
}

/**
 * Records when each key was last used, to within `USE_PRECISION_MS`, for people who look for unused keys. Uses stay in
 * memory until `flush`, so that no request waits for a write. A crash loses the latest ones.
 */
export class KeyUses {
  readonly #tables: PluginTables;
  readonly #clock: Clock;
  readonly #uses = new Map<string, Use>();

  constructor(tables: PluginTables, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
  }

  /** Notes a successful request with the key. */
  note(key: UsedKey): void {
    const usedMs = this.#clock.nowMs();
    const use = this.#uses.get(key.id);
    if (use === undefined) this.#uses.set(key.id, { key, usedMs, writtenMs: 0 });
    else use.usedMs = usedMs;
  }

  /** Returns the last use of each key by id, in milliseconds. Leaves out keys that were never used. */
  async among(keys: readonly UsedKey[]): Promise<ReadonlyMap<string, number>> {
    const last = new Map<string, number>();
    await this.#tables.read(async (own) => {
      for (const [tenantId, some] of grouped(keys, (key) => key.tenantId)) {
        for (const page of portions(some, KEYS_PER_STATEMENT)) {
          const ids = page.map(({ id }) => id);
          for (const [id, usedMs] of await storedUses(own, tenantId, ids)) last.set(id, usedMs);
        }
      }
    });
    for (const { id } of keys) {
      const usedMs = this.#uses.get(id)?.usedMs ?? 0;
      if (usedMs > (last.get(id) ?? 0)) last.set(id, usedMs);
    }
    return last;
  }

  /**
   * Writes the uses. Rejects as the store does, after it has tried every tenant; uses that were not stored are retried
   * by the next call.
   */
  async flush(): Promise<void> {
    const due = [...this.#uses.values()].filter(({ usedMs, writtenMs }) => usedMs - writtenMs >= USE_PRECISION_MS);
    const writing = eachInTurn(
      grouped(due, ({ key }) => key.tenantId),
      ([tenantId, uses]) => eachInTurn(portions(uses, KEYS_PER_STATEMENT), (some) => this.#write(tenantId, some)),
    );
    await writing.finally(() => this.#dropIdle());
  }

  async #write(tenantId: string, uses: readonly Use[]): Promise<void> {
    const ids = uses.map(({ key }) => key.id);
    await this.#tables.writeUnlessErased(tenantId, async (own) => {
      // Another process may have recorded a later use, or deleted the key.
      const stored = await storedUses(own, tenantId, ids);
      const keys = await own.select(API_KEYS_TABLE, { tenant_id: tenantId, id: ids });
      const known = new Set(keys.map(({ id }) => id));
      const rows = uses
        .filter(({ key, usedMs }) => known.has(key.id) && usedMs > (stored.get(key.id) ?? 0))
        .map(({ key, usedMs }) => ({ tenant_id: tenantId, key_id: key.id, used_ms: usedMs }));
      if (rows.length > 0) await own(USES_TABLE).insert(rows).onConflict(['tenant_id', 'key_id']).merge();
    });
    for (const { key, usedMs } of uses) {
      const use = this.#uses.get(key.id);
      if (use !== undefined) use.writtenMs = usedMs;
    }
  }

  /** Drops idle keys, so that memory is bounded by the number of keys in use. */
  #dropIdle(): void {
    const idleMs = this.#clock.nowMs() - USE_PRECISION_MS;
    for (const [id, { usedMs, writtenMs }] of this.#uses) {
      if (usedMs <= idleMs && usedMs - writtenMs < USE_PRECISION_MS) this.#uses.delete(id);
    }
  }
}

const storedUses = async (
  own: Pick<ReadableTables, 'select'>,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const rows = await own.select(USES_TABLE, { tenant_id: tenantId, key_id: ids });
  return new Map(rows.map((row) => [String(row['key_id']), Number(row['used_ms'])]));
};
