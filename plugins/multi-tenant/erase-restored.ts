import { parseInstant } from '../../kernel/plugin-api.ts';
import type { ReceiptFile } from './receipt-file.ts';
import type { TenantDirectory } from './tenant-directory.ts';
import { newTenant } from './tenant-row.ts';

/**
 * Marks erased tenants that a restored backup contains, so that they are erased again. Adds missing receipts to the
 * file: receipts of other processes, and receipts from before a crash. Returns true if any tenant was marked.
 */
export const eraseRestored = async (directory: TenantDirectory, file: ReceiptFile, nowMs: number): Promise<boolean> => {
  const receipts = await file.read();
  for (const { receipt } of await directory.erased()) {
    if (receipt?.signature != null && !receipts.has(receipt.tenant_id)) await file.add(receipt);
  }
  if (receipts.size === 0) return false;
  return directory.change(async (own) => {
    let isAny = false;
    for (const [id, receipt] of receipts) {
      const known = await directory.findIn(own, id);
      if (known?.status === 'erased' || known?.status === 'erasing') continue;
      const requestedMs = parseInstant(receipt.requested_at) ?? nowMs;
      const request = { status: 'erasing', requestedBy: receipt.requested_by, requestedMs } as const;
      if (known === undefined) await directory.add(own, { ...newTenant(id, null, nowMs), ...request });
      else await directory.replace(own, { ...known, ...request });
      isAny = true;
    }
    return isAny;
  });
};
