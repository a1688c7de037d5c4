import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import {
  type ChainLink,
  decodeBase64Url,
  encodeBase64Url,
  hashBytes,
  hashText,
  verifyEd25519,
} from '../../../kernel/internal-api.ts';
import { parseInstant, ServiceError } from '../../../kernel/plugin-api.ts';
import type { SignedDocument } from '../audit-api.ts';
import { detailHash, linkAfter } from './entry-link.ts';
import { signatureCheck } from './signed-document.ts';

type Line = Readonly<Record<string, unknown>>;

/** The result of verifying an export file. */
export interface VerifiedFile {
  /** The number of valid links. */
  readonly checked: number;
  /** The number of entries after the checkpoint; without a checkpoint, the number of all entries. */
  readonly uncovered: number;
  readonly checkpoint: SignedDocument | null;
  /** The reason why the file is invalid; undefined if it is valid. */
  readonly problem: string | undefined;
}

/**
 * Verifies the JSON lines of an export, without a node. A file that starts in the middle of the log is verified from
 * its first entry on. `publicKey` must have signed the checkpoint; if it is undefined, any key may have.
 */
export const verifyFile = async (
  content: AsyncIterable<Uint8Array>,
  publicKey: string | undefined,
): Promise<VerifiedFile> => {
  const walk = new FileWalk();
  const lines = createInterface({ input: Readable.from(content), crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text !== '') walk.take(readLine(text, number), number);
  }
  return walk.end(publicKey);
};

const readLine = (text: string, number: number): Line => {
  try {
    const line: unknown = JSON.parse(text);
    if (typeof line === 'object' && line !== null && !Array.isArray(line)) return line as Line;
  } catch {
    // The error below also covers a line that is not JSON.
  }
  throw new ServiceError('validation', `line ${number} is no JSON object`, {
    hint: 'give a file that "fact-memory-node audit export" or GET /v1/audit/export?format=jsonl has written',
  });
};

class FileWalk {
  #link: ChainLink | undefined;
  #checked = 0;
  #problem: string | undefined;
  #end: Line | undefined;
  /** The hashes by their place in the chain, 32 bytes each, to compare with the checkpoint. */
  readonly #hashes = new Map<number, Uint8Array>();

  take(line: Line, number: number): void {
    if (this.#problem !== undefined) return;
    if (this.#end !== undefined) this.#problem = `line ${number} follows the end of the export`;
    else if ('checkpoint' in line) this.#end = line;
    else if (typeof line['chain_seq'] === 'number') this.#takeEntry(line, number);
  }

  end(publicKey: string | undefined): VerifiedFile {
    const checkpoint = (this.#end?.['checkpoint'] ?? null) as SignedDocument | null;
    const covered = Number(checkpoint?.['covered_chain_seq'] ?? 0);
    const problem =
      this.#problem ??
      (this.#end === undefined ? 'the end of the export is missing' : this.#problemOf(checkpoint, publicKey));
    const uncovered = [...this.#hashes.keys()].filter((seq) => seq > covered).length;
    return { checked: this.#checked, uncovered, checkpoint, problem };
  }

  #takeEntry(line: Line, number: number): void {
    const found = { seq: Number(line['chain_seq']), hash: hashBytes(String(line['link_hash'])) };
    const before = this.#link;
    this.#link = found;
    this.#hashes.set(found.seq, found.hash);
    // The file does not hold the hash before its first entry.
    if (before === undefined && found.seq > 1) return;
    const expected = linkOf(line, before ?? null);
    if (expected?.seq !== found.seq) this.#problem = `line ${number} does not follow the entry before it`;
    else if (hashText(expected.hash) !== line['link_hash']) this.#problem = `the entry in line ${number} was changed`;
    else this.#checked += 1;
  }

  #problemOf(checkpoint: SignedDocument | null, publicKey: string | undefined): string | undefined {
    if (checkpoint === null) return publicKey === undefined ? undefined : 'the export has no checkpoint';
    const { public_key, signature, ...document } = checkpoint;
    const signed = { publicKey: String(public_key), signature: String(signature) };
    const check = signatureCheck(document, signed);
    if (check === undefined || !verifyEd25519(check.publicKey, check.bytes, check.signature)) {
      return 'the checkpoint has no good signature';
    }
    const wanted = publicKey === undefined ? undefined : decodeBase64Url(publicKey);
    if (wanted !== undefined && (wanted === null || encodeBase64Url(wanted) !== signed.publicKey)) {
      return 'another key has signed the checkpoint';
    }
    const covered = Number(checkpoint['covered_chain_seq']);
    const hash = this.#hashes.get(covered);
    if (hash === undefined) return `the checkpoint covers the entry ${covered} of the chain, which is missing`;
    return hashText(hash) === checkpoint['chain_hash'] ? undefined : 'the entries do not fit the checkpoint';
  }
}

/** Computes the link of a line. Returns undefined for a line that cannot be hashed. */
const linkOf = (line: Line, previous: ChainLink | null): ChainLink | undefined => {
  const text = (name: string): string | null => (line[name] === null ? null : String(line[name]));
  const tsMs = parseInstant(String(line['ts']));
  if (tsMs === null) return undefined;
  const detail = text('detail');
  return linkAfter(previous, {
    seq: Number(line['seq']),
    id: String(line['id']),
    event: String(line['event_type']),
    tenantId: String(line['tenant_id']),
    entityUri: String(line['entity_uri']),
    oidcSub: text('oidc_sub'),
    factId: text('fact_id'),
    source: String(line['source']),
    attestedKeyId: text('attested_key_id'),
    tsMs,
    detail,
    detailSalt: text('detail_salt'),
    detailHash: detail === null ? null : detailHash(text('detail_salt'), detail),
    detailIsGone: false,
    link: null,
  });
};
