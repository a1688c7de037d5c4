import { type Checkpoint, CheckpointLog, checkpointFromRow, hashText } from '../../../kernel/internal-api.ts';
import {
  formatInstant,
  type HookCaller,
  type NodeSelf,
  type ReadableTables,
  type SqlValue,
} from '../../../kernel/plugin-api.ts';
import { type AuditSigner, auditSigner, type SignedDocument } from '../audit-api.ts';
import { signatureFromRow } from './chain-stub.ts';
import { type Signature, signDocument, withSignature } from './signed-document.ts';

export const CHECKPOINTS_TABLE = 'audit_checkpoints';

export interface SignedCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly signature: Signature | null;
}

type Builder = (table: string) => ReturnType<ReadableTables>;

/** Returns the signed and published form of a checkpoint. */
export const checkpointDocument = (checkpoint: Checkpoint, { names, nodeId }: NodeSelf) => ({
  kind: names.documentKind('audit_checkpoint'),
  version: 1,
  node_id: nodeId,
  tenant_id: checkpoint.tenantId,
  id: checkpoint.id,
  log_index: checkpoint.logIndex,
  covered_seq: checkpoint.number,
  covered_chain_seq: checkpoint.link.seq,
  chain_hash: hashText(checkpoint.link.hash),
  prev_hash: checkpoint.previousHash && hashText(checkpoint.previousHash),
  created_at: formatInstant(checkpoint.createdMs),
});

/** Returns the node's signer from the plugin that holds its key; undefined without one. */
export const signerOf = async (hooks: HookCaller): Promise<AuditSigner | undefined> =>
  (await hooks.collect(auditSigner, {}))[0];

/** Returns the log of checkpoints, which signs each checkpoint when it is stored. */
export const signedLog = (self: NodeSelf, signer: AuditSigner | undefined): CheckpointLog =>
  new CheckpointLog(CHECKPOINTS_TABLE, (checkpoint) => {
    const signature = signDocument(checkpointDocument(checkpoint, self), signer);
    return { signed_by: signature?.publicKey ?? null, signature: signature?.signature ?? null };
  });

/** Returns the newest checkpoint of a tenant, with its signature. */
export const newestSigned = async (tables: Builder, tenantId: string): Promise<SignedCheckpoint | undefined> =>
  (await fromRows(tables(CHECKPOINTS_TABLE).where('tenant_id', tenantId).orderBy('log_index', 'desc').limit(1)))[0];

/** Returns the last checkpoint of a tenant that covers no place after `upTo`, with its signature. */
export const lastSignedUpTo = async (
  tables: Builder,
  tenantId: string,
  upTo: number,
): Promise<SignedCheckpoint | undefined> => {
  const query = tables(CHECKPOINTS_TABLE).where('tenant_id', tenantId).where('covered_number', '<=', upTo);
  // In the order of the index. By `log_index`, each part would step over all checkpoints after it.
  return (await fromRows(query.orderBy('covered_number', 'desc').limit(1)))[0];
};

/** Returns the newest checkpoint of a tenant in its published form; null without one. */
export const newestDocument = async (
  tables: Builder,
  tenantId: string,
  self: NodeSelf,
): Promise<SignedDocument | null> => {
  const newest = await newestSigned(tables, tenantId);
  return newest === undefined ? null : withSignature(checkpointDocument(newest.checkpoint, self), newest.signature);
};

/** Returns the checkpoints of places after `above` and up to `upTo`, in order. */
export const signedBetween = (
  tables: Builder,
  tenantId: string,
  { above, upTo, limit }: { readonly above: number; readonly upTo: number; readonly limit: number },
): Promise<SignedCheckpoint[]> => {
  const query = tables(CHECKPOINTS_TABLE).where('tenant_id', tenantId).where('covered_number', '>', above);
  return fromRows(query.where('covered_number', '<=', upTo).orderBy('covered_number').limit(limit));
};

const fromRows = async (query: ReturnType<ReadableTables>): Promise<SignedCheckpoint[]> =>
  ((await query) as Record<string, SqlValue>[]).map((row) => ({
    checkpoint: checkpointFromRow(row),
    signature: signatureFromRow(row),
  }));
