import { join } from 'node:path';
import {
  appendLines,
  canonicalJson,
  DamagedLines,
  decodeBase64Url,
  readJournal,
  verifyEd25519,
  type WithdrawalJournal,
} from '../../kernel/internal-api.ts';
import { DEFAULT_TENANT, type Logger } from '../../kernel/plugin-api.ts';
import type { NodeIdentity } from '../node-info/node-info-api.ts';
import type { ErasureReceipt } from './multi-tenant-api.ts';

export const ERASED_TENANTS: WithdrawalJournal = {
  file: join('multi-tenant', 'erased-tenants.jsonl'),
  withdrawn: 'erased tenants',
  listCommand: 'tenant list',
  holdsErasures: true,
};

/**
 * A file beside the store with the receipts of erased tenants. A restored backup may contain erased tenants. The newer
 * file shows that they must be erased again. Ignores lines that this node did not sign.
 */
export class ReceiptFile {
  readonly #file: string;
  readonly #identity: Pick<NodeIdentity, 'publicKeys'>;
  readonly #log: Pick<Logger, 'warn'>;
  /** The signatures of the last receipts that this process has seen in the file, by tenant. */
  readonly #seen = new Map<string, string | null>();

  constructor(dataFolder: string, identity: Pick<NodeIdentity, 'publicKeys'>, log: Pick<Logger, 'warn'>) {
    this.#file = join(dataFolder, ERASED_TENANTS.file);
    this.#identity = identity;
    this.#log = log;
  }

  async add(receipt: ErasureReceipt): Promise<void> {
    await appendLines(this.#file, [JSON.stringify(receipt)]);
    this.#seen.set(receipt.tenant_id, receipt.signature);
  }

  /**
   * Adds a receipt of the store that the file lacks, because a process ended between its commit and the file. Leaves
   * out a receipt that this node did not sign, because it would be a damaged line.
   */
  async ensure(receipt: ErasureReceipt): Promise<void> {
    const isThere = () => this.#seen.get(receipt.tenant_id) === receipt.signature;
    if (isThere() || !this.#isOwn(receipt)) return;
    await this.read();
    if (!isThere()) await this.add(receipt);
  }

  /** Returns the receipts by tenant. */
  async read(): Promise<ReadonlyMap<string, ErasureReceipt>> {
    const found = new Map<string, ErasureReceipt>();
    const damaged = new DamagedLines(this.#file);
    for await (const { number, text } of readJournal(this.#file)) {
      const receipt = text === undefined ? undefined : parse(text);
      if (receipt !== undefined && this.#isOwn(receipt)) found.set(receipt.tenant_id, receipt);
      else damaged.add(number);
    }
    damaged.warn(this.#log);
    for (const [id, { signature }] of found) this.#seen.set(id, signature);
    return found;
  }

  #isOwn(receipt: ErasureReceipt): boolean {
    return this.#identity.publicKeys.some((key) => isSignedBy(receipt, bytesOf(key)));
  }
}

/** Returns undefined for a line that a crash has truncated. */
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
