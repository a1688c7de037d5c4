import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrdinaryFile, unusableFile } from '../../kernel/internal-api.ts';
import { canonicalJson, DEFAULT_TENANT, decodeBase64Url, verifyEd25519 } from '../../kernel/plugin-api.ts';
import type { NodeIdentity } from '../node-info/node-info-api.ts';
import type { ErasureReceipt } from './multi-tenant-api.ts';

const FILE = 'erased-tenants.jsonl';
/** Some hundred thousand receipts. A larger file would fill the memory. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * A file beside the store with the receipts of erased tenants. A restored backup may contain erased tenants. The newer
 * file shows that they must be erased again. Ignores lines that this node did not sign.
 */
export class ReceiptFile {
  readonly #file: string;
  readonly #identity: Pick<NodeIdentity, 'publicKey' | 'retired'>;

  constructor(folder: string, identity: Pick<NodeIdentity, 'publicKey' | 'retired'>) {
    this.#file = join(folder, FILE);
    this.#identity = identity;
  }

  async add(receipt: ErasureReceipt): Promise<void> {
    // Starts a new line, because a crash may have truncated the last one.
    await appendFile(this.#file, `\n${JSON.stringify(receipt)}\n`, { mode: 0o600, flush: true }).catch(this.#unusable);
  }

  /** Returns the receipts by tenant. */
  async read(): Promise<ReadonlyMap<string, ErasureReceipt>> {
    const { publicKey, retired } = this.#identity;
    const keys = [publicKey, ...retired.map((one) => one.publicKey)].map(bytesOf);
    const found = new Map<string, ErasureReceipt>();
    for (const line of (await this.#text()).split('\n')) {
      const receipt = parse(line);
      if (receipt !== undefined && keys.some((key) => isSignedBy(receipt, key))) found.set(receipt.tenant_id, receipt);
    }
    return found;
  }

  async #text(): Promise<string> {
    const bytes = await readOrdinaryFile(this.#file, MOST_BYTES).catch(this.#unusable);
    return bytes?.toString('utf8') ?? '';
  }

  readonly #unusable = (error: unknown): never => {
    throw unusableFile(this.#file, error);
  };
}

/** Returns undefined for an empty line, and for a line that a crash has truncated. */
const parse = (line: string): ErasureReceipt | undefined => {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? (parsed as ErasureReceipt) : undefined;
  } catch {
    return undefined;
  }
};

/** The node also signs other documents with a `tenant_id`, so a receipt is recognised by the time of the erasure. */
const isSignedBy = ({ signature, ...content }: ErasureReceipt, key: Uint8Array): boolean =>
  typeof signature === 'string' &&
  typeof content.tenant_id === 'string' &&
  content.tenant_id !== DEFAULT_TENANT &&
  typeof content.erased_at === 'string' &&
  verifyEd25519(key, Buffer.from(canonicalJson(content)), bytesOf(signature));

const bytesOf = (text: string): Uint8Array => decodeBase64Url(text) ?? new Uint8Array();
