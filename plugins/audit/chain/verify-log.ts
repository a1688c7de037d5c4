import { isSameLink } from '../../../kernel/internal-api.ts';
import {
  type Clock,
  type HookCaller,
  type NodeSelf,
  type PluginTables,
  type Principal,
  type ReadableTables,
  requirePermission,
  type SignatureWork,
} from '../../../kernel/plugin-api.ts';
import type { AuditSigner, ChainProblem, VerifiedEntries } from '../audit-api.ts';
import { READS_ALL } from '../stored-audit.ts';
import { readStub, type SignedStub, stubDocument } from './chain-stub.ts';
import { placeAt } from './entry-chain.ts';
import {
  checkpointDocument,
  lastSignedUpTo,
  newestSigned,
  type SignedCheckpoint,
  signedBetween,
  signerOf,
} from './entry-checkpoints.ts';
import { LINKS_PER_STEP } from './keep-checkpoints.ts';
import { linkedEntries } from './linked-rows.ts';
import { keptFrom } from './retention.ts';
import { type Signature, signatureCheck, withSignature } from './signed-document.ts';
import { type VerifiedStretch, verifyStretch } from './verify-stretch.ts';

export interface VerificationParts {
  readonly tables: PluginTables;
  readonly hooks: HookCaller;
  readonly self: NodeSelf;
  readonly work: SignatureWork;
  readonly clock: Clock;
  /** The number of days after which entries are deleted; 0 means never. */
  readonly retentionDays: number;
}

/** A part of the log, read from one snapshot. */
interface Part {
  readonly stub: SignedStub | undefined;
  readonly stretch: VerifiedStretch;
  readonly isLast: boolean;
  readonly head: VerifiedEntries['head'];
  readonly newest: SignedCheckpoint | undefined;
  /** The checkpoints that cover a place of this part. The last part includes those of missing places. */
  readonly checkpoints: readonly SignedCheckpoint[];
  /** The checkpoint before those of this part; undefined without one. */
  readonly earlier: SignedCheckpoint | undefined;
  /** The links of this part, by the numbers of their entries. */
  readonly links: ReadonlyMap<number, SignedCheckpoint['checkpoint']['link']>;
}

/** Implements `Audit.verify`. */
export const verifyLog = async (
  caller: Principal,
  afterSeq: number,
  parts: VerificationParts,
): Promise<VerifiedEntries> => {
  requirePermission(caller, READS_ALL);
  const { tenantId } = caller;
  const { self, hooks, clock, retentionDays } = parts;
  const keptFromMs = keptFrom(clock, retentionDays);
  const signer = await signerOf(hooks);
  const part = await parts.tables.read((own) => readPart(own, { tenantId, afterSeq, keptFromMs }));
  const { stub, stretch, head, isLast, newest } = part;
  const ofStub = afterSeq === 0 ? await problemOfStub(stub, signer, parts) : undefined;
  const problem = ofStub ?? (await problemOfCheckpoints(part, signer, parts)) ?? stretch.problem;
  return {
    tenantId,
    checked: stretch.checked,
    detailsGone: stretch.detailsGone,
    place: stretch.place,
    head,
    more: !isLast && problem === undefined,
    checkpoint:
      newest === undefined ? null : withSignature(checkpointDocument(newest.checkpoint, self), newest.signature),
    stub: stub === undefined ? null : withSignature(stubDocument(stub.stub, self), stub.signature),
    problem,
  };
};

const readPart = async (
  own: ReadableTables,
  {
    tenantId,
    afterSeq,
    keptFromMs,
  }: { readonly tenantId: string; readonly afterSeq: number; readonly keptFromMs: number },
): Promise<Part> => {
  const stub = await readStub(own, tenantId);
  const from = afterSeq === 0 ? stub?.stub.place : await placeAt(own, tenantId, afterSeq);
  // Genuine numbers start at 1 and are never reused. The range starts lower to find forged rows as well.
  const above = afterSeq === 0 ? Number.MIN_SAFE_INTEGER : (from?.number ?? 0);
  const entries = await linkedEntries(own, tenantId, { above, limit: LINKS_PER_STEP });
  const isLast = entries.length < LINKS_PER_STEP;
  const upTo = isLast ? Number.MAX_SAFE_INTEGER : (entries.at(-1)?.entry.seq ?? above);
  return {
    stub,
    stretch: verifyStretch(from, entries, keptFromMs),
    isLast,
    head: await placeAt(own, tenantId),
    newest: await newestSigned(own, tenantId),
    checkpoints: await signedBetween(own, tenantId, { above: from?.number ?? 0, upTo, limit: LINKS_PER_STEP + 1 }),
    earlier: await lastSignedUpTo(own, tenantId, from?.number ?? 0),
    links: new Map(entries.map(({ entry, link }) => [entry.seq, link])),
  };
};

const problemOfStub = async (
  signed: SignedStub | undefined,
  signer: AuditSigner | undefined,
  { self, work }: VerificationParts,
): Promise<ChainProblem | undefined> => {
  if (signed === undefined || signer === undefined) return undefined;
  const { stub, signature } = signed;
  const [isGood] = await areSigned([{ document: stubDocument(stub, self), signature }], signer, work);
  if (isGood === true) return undefined;
  const chainSeq = stub.place?.link.seq ?? 0;
  return { reason: 'what is left of deleted entries has no good signature', seq: null, chainSeq, entryId: null };
};

/** Finds the first checkpoint that contradicts the log, before the log's own first broken link. */
const problemOfCheckpoints = async (
  { stub, stretch, checkpoints, earlier, links }: Part,
  signer: AuditSigner | undefined,
  { self, work }: VerificationParts,
): Promise<ChainProblem | undefined> => {
  const reached = stretch.problem === undefined ? Number.MAX_SAFE_INTEGER : (stretch.place?.number ?? 0);
  const due = checkpoints.filter(({ checkpoint }) => checkpoint.number <= reached);
  const documents = due.map(({ checkpoint, signature }) => ({
    document: checkpointDocument(checkpoint, self),
    signature,
  }));
  const signed = signer === undefined ? undefined : await areSigned(documents, signer, work);
  for (const [at, { checkpoint }] of due.entries()) {
    const problem = (reason: string): ChainProblem => ({
      reason,
      seq: null,
      chainSeq: checkpoint.link.seq,
      entryId: null,
    });
    if (signed?.[at] === false) return problem('a checkpoint has no good signature');
    if (checkpoint.number > (stretch.place?.number ?? 0)) return problem('entries are missing at the end');
    if (!isSameLink(links.get(checkpoint.number), checkpoint.link)) return problem('the log does not fit a checkpoint');
    const before = (due[at - 1] ?? earlier)?.checkpoint;
    // Without an earlier one it is the first, unless those of deleted entries were deleted with them.
    const isFirstLeft = before === undefined && stub?.stub.place !== undefined;
    const index = before === undefined ? 0 : before.logIndex + 1;
    if (!isFirstLeft && checkpoint.logIndex !== index) return problem('a checkpoint is missing');
  }
  return undefined;
};

/** Returns for each document whether a present or former key of the node has signed it. */
const areSigned = async (
  documents: readonly {
    readonly document: Parameters<typeof signatureCheck>[0];
    readonly signature: Signature | null;
  }[],
  signer: AuditSigner,
  work: SignatureWork,
): Promise<boolean[]> => {
  const keys = new Set(await signer.keys());
  const checks = documents.map(({ document, signature }) =>
    signature !== null && keys.has(signature.publicKey) ? signatureCheck(document, signature) : undefined,
  );
  const good = await work.verifyAll(checks.filter((check) => check !== undefined));
  let next = 0;
  return checks.map((check) => check !== undefined && good[next++] === true);
};
