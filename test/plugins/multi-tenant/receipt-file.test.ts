import { generateKeyPairSync, sign } from 'node:crypto';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { canonicalJson, encodeBase64Url } from '../../../kernel/internal-api.ts';
import type { ErasureReceipt } from '../../../plugins/multi-tenant/multi-tenant-api.ts';
import { ReceiptFile } from '../../../plugins/multi-tenant/receipt-file.ts';

describe('The file of receipts of erased tenants', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const signed = (content: object): ErasureReceipt => {
    const signature = encodeBase64Url(sign(null, Buffer.from(canonicalJson(content)), privateKey));
    return { ...content, signature } as ErasureReceipt;
  };
  const erasedAt = '2026-03-02T09:05:00.000Z';
  let folder: string;
  let file: ReceiptFile;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'receipts-'));
    file = new ReceiptFile(folder, { publicKeys: [encodeBase64Url(raw)] }, { warn: () => {} });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const tenants = async () => [...(await file.read()).keys()];

  it('keeps a receipt that follows a line that a crash has truncated', async () => {
    await appendFile(join(folder, 'erased-tenants.jsonl'), '{"tenant_id":"cut');
    await file.add(signed({ tenant_id: 'acme', erased_at: erasedAt }));
    expect(await tenants()).to.deep.equal(['acme']);
  });

  it('ignores other documents that the node has signed, and receipts of the tenant default', async () => {
    await file.add(signed({ tenant_id: 'other', tombstone_id: 'tomb_1', created_at: erasedAt }));
    await file.add(signed({ tenant_id: 'default', erased_at: erasedAt }));
    expect(await tenants()).to.deep.equal([]);
  });
});
