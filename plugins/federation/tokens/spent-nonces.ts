import { DEFAULT_TENANT, type PluginTables, sha256Hex } from '../../../kernel/plugin-api.ts';
import { NONCES_TABLE } from '../serving/serving-tables.ts';

/** The maximum number of rows per deletion, so that no statement blocks the store for long. */
const SWEEP_ROWS = 1_000;
const SWEEP_STEPS = 100;
/**
 * The additional time for which a nonce is stored. Without it, used tokens would be accepted again after a clock jumped
 * ahead and was corrected.
 */
const SWEEP_MARGIN_MS = 2 * 3_600_000;

/** The nonces of accepted tokens, in the store that all processes share. */
export interface SpentNonces {
  /** Marks a nonce as used. Returns true for the first call in any process, and false for every later one. */
  spend(issuer: string, nonce: string, expiresMs: number): Promise<boolean>;
  /** Deletes nonces whose tokens have expired. */
  sweep(nowMs: number): Promise<void>;
}

export const createSpentNonces = (tables: PluginTables): SpentNonces => ({
  async spend(issuer, nonce, expiresMs) {
    const row = { tenant_id: DEFAULT_TENANT, digest: digestOf(issuer, nonce), expires_ms: Math.ceil(expiresMs) };
    const added: readonly unknown[] = await tables(NONCES_TABLE)
      .insert(row)
      .onConflict(['tenant_id', 'digest'])
      .ignore()
      .returning('digest');
    return added.length > 0;
  },
  async sweep(nowMs) {
    const before = nowMs - SWEEP_MARGIN_MS;
    for (let step = 0; step < SWEEP_STEPS; step += 1) {
      const old = tables(NONCES_TABLE).select('digest').where('expires_ms', '<', before).limit(SWEEP_ROWS);
      const deleted: number = await tables(NONCES_TABLE)
        .where({ tenant_id: DEFAULT_TENANT })
        .whereIn('digest', old)
        .delete();
      if (deleted < SWEEP_ROWS) return;
    }
  },
});

/** Returns the digest of nonce and issuer. It does not contain the tenant, so a token is used once for all tenants. */
const digestOf = (issuer: string, nonce: string): string => sha256Hex(JSON.stringify([issuer, nonce]));
