import type {
  Clock,
  ConfirmLease,
  Logger,
  NodeSelf,
  PluginTables,
  WritableTables,
} from '../../../kernel/plugin-api.ts';
import type { AuditSigner } from '../audit-api.ts';
import { ENTRIES_TABLE } from '../entry-rows.ts';
import { deleteReadsBefore } from '../read-counts.ts';
import { type ChainStub, readStub, STUBS_TABLE, stubDocument, stubRow } from './chain-stub.ts';
import { CHECKPOINTS_TABLE, newestSigned } from './entry-checkpoints.ts';
import { type LinkedEntry, linkedEntries } from './linked-rows.ts';
import { signDocument } from './signed-document.ts';
import { verifyStretch } from './verify-stretch.ts';

/** The number of entries that one transaction deletes. */
export const ENTRIES_PER_PIECE = 1_000;

const DAY_MS = 86_400_000;

export interface RetentionParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly self: NodeSelf;
  readonly log: Logger;
  /** The number of days after which entries are deleted; 0 means never. */
  readonly retentionDays: number;
}

/**
 * Returns the instant from which on entries are kept. It is the beginning of a day (UTC), so that each tenant is
 * processed once a day.
 */
export const keptFrom = (clock: Clock, retentionDays: number): number =>
  retentionDays === 0 ? Number.MIN_SAFE_INTEGER : (Math.floor(clock.nowMs() / DAY_MS) - retentionDays) * DAY_MS;

/**
 * Deletes old entries, and stores a signed stub from which the chain continues. Fact entries have no rows, so they are
 * only hidden. Deletes only the part that a checkpoint covers and that verifies, because a changed entry is evidence.
 */
export class Retention {
  readonly #parts: RetentionParts;
  /** The instant before which each tenant's entries are deleted already. */
  readonly #reached = new Map<string, number>();

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  async keepAll(signer: AuditSigner | undefined, confirm: ConfirmLease): Promise<void> {
    const { tables, clock, retentionDays } = this.#parts;
    if (retentionDays === 0) return;
    const wantedMs = keptFrom(clock, retentionDays);
    const ends = await tables.read((_own, snapshot) => snapshot.ledgerEnds());
    for (const { tenantId } of ends) {
      if (this.#reached.get(tenantId) === wantedMs) continue;
      while (await this.#deletePiece(tenantId, wantedMs, signer, confirm));
      await tables.writeUnlessErased(tenantId, (own) => deleteReadsBefore(own, tenantId, wantedMs));
      this.#reached.set(tenantId, wantedMs);
    }
    const known = new Set(ends.map(({ tenantId }) => tenantId));
    for (const tenantId of this.#reached.keys()) if (!known.has(tenantId)) this.#reached.delete(tenantId);
  }

  /** Deletes one piece. Returns true if there may be more to delete. */
  #deletePiece(
    tenantId: string,
    wantedMs: number,
    signer: AuditSigner | undefined,
    confirm: ConfirmLease,
  ): Promise<boolean> {
    const { tables, clock, self, log } = this.#parts;
    return tables.write(tenantId, async (own, transaction) => {
      await confirm(transaction);
      const before = (await readStub(own, tenantId))?.stub;
      const oldest = await linkedEntries(own, tenantId, {
        above: before?.place?.number ?? 0,
        limit: ENTRIES_PER_PIECE + 1,
      });
      const covered = (await newestSigned(own, tenantId))?.checkpoint.number ?? 0;
      const old = leading(oldest, ({ entry }) => entry.tsMs < wantedMs && entry.seq <= covered);
      const gone = old.slice(0, ENTRIES_PER_PIECE);
      const { place, problem } = verifyStretch(before?.place, gone, wantedMs);
      if (problem !== undefined) {
        log.error('old audit entries are kept, because the log does not hold', { tenantId, ...problem });
        return false;
      }
      const next = oldest[gone.length];
      const reachedMs = Math.min(wantedMs, next?.entry.tsMs ?? wantedMs);
      const floorMs = Math.max(before?.floorMs ?? Number.MIN_SAFE_INTEGER, reachedMs);
      if (gone.length === 0 && floorMs === before?.floorMs) return false;
      await replace(own, { tenantId, place, floorMs, createdMs: clock.nowMs() }, { self, signer });
      return old.length > gone.length;
    });
  }
}

const leading = (entries: readonly LinkedEntry[], holds: (entry: LinkedEntry) => boolean): readonly LinkedEntry[] => {
  const end = entries.findIndex((entry) => !holds(entry));
  return end < 0 ? entries : entries.slice(0, end);
};

/**
 * Replaces the entries up to the stub's place by the stub. Does not delete the newest checkpoint, because the next one
 * continues from it.
 */
const replace = async (
  own: WritableTables,
  stub: ChainStub,
  { self, signer }: { readonly self: NodeSelf; readonly signer: AuditSigner | undefined },
): Promise<void> => {
  const { tenantId, place } = stub;
  if (place !== undefined) {
    const newest = await newestSigned(own, tenantId);
    await own(ENTRIES_TABLE).where('tenant_id', tenantId).where('seq', '<=', place.number).delete();
    await own(CHECKPOINTS_TABLE)
      .where('tenant_id', tenantId)
      .where('covered_number', '<=', place.number)
      .where('log_index', '<', newest?.checkpoint.logIndex ?? 0)
      .delete();
  }
  await own(STUBS_TABLE).where('tenant_id', tenantId).delete();
  await own.insertRows(STUBS_TABLE, [stubRow({ stub, signature: signDocument(stubDocument(stub, self), signer) })]);
};
