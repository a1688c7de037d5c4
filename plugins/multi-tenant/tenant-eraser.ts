import type { Clock, TenantRemoval } from '../../kernel/plugin-api.ts';
import { ADMIN_ACTION, type AuditLog } from '../audit/audit-api.ts';
import { type ReceiptParts, signReceipt } from './erasure-receipt.ts';
import type { ReceiptFile } from './receipt-file.ts';
import type { TenantDirectory } from './tenant-directory.ts';
import type { StoredTenant } from './tenant-row.ts';
import type { TenantStandings } from './tenant-standings.ts';

/** The number of rows per transaction: small, so that no other request waits long. */
export const ROWS_AT_ONCE = 250;

export interface EraserParts {
  readonly directory: TenantDirectory;
  readonly standings: TenantStandings;
  readonly removal: TenantRemoval;
  readonly clock: Clock;
  readonly audit: AuditLog | undefined;
  readonly signing: ReceiptParts;
  /** Undefined on a node without a key, whose receipts cannot be verified. */
  readonly receipts: Pick<ReceiptFile, 'add' | 'ensure'> | undefined;
}

export interface ErasureRun {
  /** Stops after this number of transactions. */
  readonly mostSteps?: number;
  readonly signal?: AbortSignal;
  onProgress?(rows: number): void;
}

/**
 * Erases marked tenants. Every step is a transaction that also stores the count of deleted rows. So a run can resume an
 * interrupted one, and simultaneous runs do no harm.
 */
export class TenantEraser {
  readonly #parts: EraserParts;

  constructor(parts: EraserParts) {
    this.#parts = parts;
  }

  /**
   * Returns true if the tenant is erased, and false if the run was stopped. For an erased tenant, it deletes rows of
   * late writes. It resolves when the receipt is in the file, also that of a run whose process has ended before.
   */
  async run(
    id: string,
    { mostSteps = Number.POSITIVE_INFINITY, signal, onProgress }: ErasureRun = {},
  ): Promise<boolean> {
    const { directory, removal, receipts } = this.#parts;
    const tenant = await directory.find(id);
    if (tenant === undefined || tenant.status === 'active' || tenant.status === 'suspended') return false;
    let rows = sum(tenant.removed);
    // Repeats until a step finds no rows, because a write that started earlier may end after the first step.
    for (let steps = 0, before = -1; rows !== before; steps += 1) {
      if (steps === mostSteps) return false;
      signal?.throwIfAborted();
      before = rows;
      await removal.step(id, ROWS_AT_ONCE, async (transaction, removed) => {
        rows = sum(await directory.addRemoved(transaction, id, removed));
      });
      onProgress?.(rows);
    }
    if (tenant.status === 'erasing' || rows > sum(tenant.removed)) await this.#finish(id, await removal.scrub());
    else if (tenant.receipt !== null) await receipts?.ensure(tenant.receipt);
    return true;
  }

  async #finish(id: string, limits: readonly string[]): Promise<void> {
    const { directory, standings, clock, audit, signing, receipts } = this.#parts;
    const { receipt, isNew } = await directory.change(async (own, transaction) => {
      const tenant = await directory.findIn(own, id);
      // Another run has completed the erasure.
      if (tenant?.status !== 'erasing') return { receipt: tenant?.receipt ?? null, isNew: false };
      const receipt = signReceipt(tenant, { removed: tenant.removed, limits, nowMs: clock.nowMs() }, signing);
      const erased: StoredTenant = { ...tenant, status: 'erased', name: null, suspendedMs: null, receipt };
      await directory.replace(own, erased);
      const detail = { action: 'tenant_erased', tenant_id: id, rows: sum(tenant.removed) };
      const entityUri = tenant.requestedBy ?? '';
      await audit?.record({ event: ADMIN_ACTION, tenantId: 'default', entityUri, detail }, transaction);
      return { receipt, isNew: true };
    });
    if (receipt !== null) await receipts?.[isNew ? 'add' : 'ensure'](receipt);
    await standings.reload();
  }
}

const sum = (rows: Readonly<Record<string, number>>): number =>
  Object.values(rows).reduce((total, count) => total + count, 0);
