import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ErasureReceipt } from '../../../plugins/multi-tenant/multi-tenant-api.ts';
import { ERASED_TENANTS, ReceiptFile } from '../../../plugins/multi-tenant/receipt-file.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

describe('the file of erased tenants', () => {
  it('takes no receipt of the store that the node did not sign', () =>
    inTemporaryFolder(async (folder) => {
      const identity = { publicKeys: ['A'.repeat(43)] };
      const file = new ReceiptFile(folder, identity, { warn: () => {} });
      const content = { tenant_id: 'acme', erased_at: '2026-03-02T09:00:00.000Z' };
      for (const signature of ['AA', null]) {
        await file.ensure({ ...content, signature } as unknown as ErasureReceipt);
      }
      expect(existsSync(join(folder, ERASED_TENANTS.file))).to.equal(false);
    }));
});
