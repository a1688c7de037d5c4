import { DEFAULT_TENANT, type PluginTables, sha256Hex } from '../../../kernel/plugin-api.ts';
import { NONCES_TABLE } from '../serving/serving-tables.ts';

/** Rows of one step, so that no statement holds up the store for long. */
const SWEEP_ROWS = 1_000;
const SWEEP_STEPS = 100;
/**
 * Nonces are forgotten this much later than they must be. A clock that jumped forward and was set right again would
 * otherwise let tokens in that it had forgotten.
 */
const SWEEP_MARGIN_MS = 2 * 3_600_000;

/** Nonces of tokens that were accepted, in the store that all processes share. */
export interface SpentNonces {
  /** Uses a nonce up: true for the first caller of all, in whatever process, and false ever after. */
  spend(issuer: string, nonce: string, expiresMs: number): Promise<boolean>;
  /** Forgets those whose tokens are refused for their age by now. */
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

/** A nonce belongs to the node and its issuer, whatever tenant the peering serves then. */
const digestOf = (issuer: string, nonce: string): string => sha256Hex(JSON.stringify([issuer, nonce]));
