import { type ChainPlace, type CheckpointLog, ErasedTenant, isLedgerErased } from '../../../kernel/internal-api.ts';
import type { Clock, Logger, PluginTables, Random } from '../../../kernel/plugin-api.ts';
import { readStub } from './chain-stub.ts';
import { linkedEntries } from './linked-rows.ts';
import { keptFrom } from './retention.ts';
import { type VerifiedStretch, verifyStretch } from './verify-stretch.ts';

/** The maximum number of links that one step hashes, which takes some 20 ms. */
export const LINKS_PER_STEP = 2_000;

export interface CheckpointParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The number of days after which entries are deleted; 0 means never. */
  readonly retentionDays: number;
}

/** Verifies the logs of tenants after their newest checkpoints, and stores signed checkpoints of the valid part. */
export class CheckpointKeeper {
  readonly #parts: CheckpointParts;
  /** The highest ledger number of each tenant at the last call. */
  readonly #seen = new Map<string, number>();
  readonly #reported = new Set<string>();

  constructor(parts: CheckpointParts) {
    this.#parts = parts;
  }

  /** Updates the checkpoints of all tenants whose ledgers have grown since the last call. */
  async keepAll(checkpoints: CheckpointLog): Promise<void> {
    const ends = await this.#parts.tables.read((_own, snapshot) => snapshot.ledgerEnds());
    for (const { tenantId, number } of ends) {
      if (this.#seen.get(tenantId) === number) continue;
      try {
        await this.keep(tenantId, checkpoints);
      } catch (error) {
        if (!(error instanceof ErasedTenant)) throw error;
      }
      this.#seen.set(tenantId, number);
    }
    const known = new Set(ends.map(({ tenantId }) => tenantId));
    for (const tenantId of this.#seen.keys()) if (!known.has(tenantId)) this.#seen.delete(tenantId);
  }

  /** Updates one tenant's checkpoints, up to the newest entry or the first broken link. */
  async keep(tenantId: string, checkpoints: CheckpointLog): Promise<void> {
    for (;;) {
      const { stretch, from, isLast } = await this.#verifyNext(tenantId, checkpoints);
      const { place, problem } = stretch;
      if (place !== undefined && place.link.seq > (from?.link.seq ?? 0)) await this.#add(tenantId, place, checkpoints);
      if (problem !== undefined) await this.#report(tenantId, stretch);
      if (isLast || problem !== undefined) return;
    }
  }

  async #verifyNext(tenantId: string, checkpoints: CheckpointLog) {
    const { tables, clock, retentionDays } = this.#parts;
    const keptFromMs = keptFrom(clock, retentionDays);
    return tables.read(async (own) => {
      const from = (await checkpoints.newest(own, tenantId)) ?? (await readStub(own, tenantId))?.stub.place;
      const entries = await linkedEntries(own, tenantId, { above: from?.number ?? 0, limit: LINKS_PER_STEP });
      return { from, stretch: verifyStretch(from, entries, keptFromMs), isLast: entries.length < LINKS_PER_STEP };
    });
  }

  async #add(tenantId: string, place: ChainPlace, checkpoints: CheckpointLog): Promise<void> {
    const { tables, clock, random } = this.#parts;
    const id = `auditcp_${random.uuid().replaceAll('-', '')}`;
    await checkpoints.add(tables, tenantId, place, { id, nowMs: clock.nowMs() });
  }

  async #report(tenantId: string, { problem }: VerifiedStretch): Promise<void> {
    if (this.#reported.has(tenantId) || (await isLedgerErased(this.#parts.tables, tenantId))) return;
    this.#reported.add(tenantId);
    this.#parts.log.error('the audit log does not hold: the store was changed from outside', { tenantId, ...problem });
  }
}
