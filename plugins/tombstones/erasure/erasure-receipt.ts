import { canonicalJson, encodeBase64Url, keyIdOf } from '../../../kernel/internal-api.ts';
import {
  COUNT_JSON,
  type ErasureCounts,
  formatInstant,
  INSTANT_JSON,
  listOf,
  objectOf,
  STRING_JSON,
} from '../../../kernel/plugin-api.ts';
import type { NodeIdentity } from '../../node-info/node-info-api.ts';
import type { Tombstone } from '../tombstones-api.ts';

/** A statement, signed by the node, of the destroyed facts and of the limits of the erasure. */
export interface ErasureReceipt {
  /** The id: `erasure_<uuid>`. */
  readonly id: string;
  readonly tombstone_id: string;
  readonly tenant_id: string;
  readonly entity_uri: string;
  readonly scope: string;
  readonly erased: ErasureCounts;
  readonly remains: readonly string[];
  readonly limits: readonly string[];
  readonly created_at: string;
  readonly signed_by: string;
  readonly key_id: string;
  /** The Ed25519 signature in base64url, over the RFC 8785 form of the other members. */
  readonly signature: string;
}

/** The data that remains on purpose, so that chains and signatures still verify. */
export const REMAINS: readonly string[] = [
  'identifiers, stamps, relations, scopes and sources of the facts',
  'links of the chain, commitments of the values, and signatures of origins',
  'the entity in the facts, in this receipt and in its tombstone',
  'entries of the audit log and charges, which hold no value',
];

const OF_CLEAR: readonly string[] = [
  'backups and exports that were made before; a restored node is brought up to date by erasures.jsonl of its folder',
];

/** Keys of periods open the texts of the second sentence, and a key of the tenant those of the last one. */
const OF_SEALED: readonly string[] = [
  'exports and clear backups that were made before; sealed ones, replicas and logs open no value of an erased fact ' +
    'any more, except where another sentence here says so',
  'earlier sealed copies open texts that may repeat an erased fact, until about two days after the node has deleted ' +
    'all rows that are as old: kept replies (a day), jobs (a day after their end, or SVC_JOB_KEEP_S), loaded instructions (a week), ' +
    'parked facts (until they are stored or refused), runs of upkeep (20 of each task), events of peers (90 days), and details of ' +
    'audit entries (SVC_AUDIT_RETENTION_DAYS; without it until "encryption rotate" renews the keys)',
  'sealed copies from before open names of entities to which its facts refer until "encryption rotate" renews the keys',
];

/** Returns the copies of facts that no erasure can reach. */
const limitsOf = (isSealed: boolean): readonly string[] => [
  ...(isSealed ? OF_SEALED : OF_CLEAR),
  'what was delivered to subscribers, or returned to callers',
  'peers that have the facts: they hide or erase them when they read the tombstone, as their operators have set',
];

const COUNTED = { ...objectOf({ facts: COUNT_JSON }), additionalProperties: COUNT_JSON };

const WHAT_JSON = {
  tombstone_id: STRING_JSON,
  entity_uri: STRING_JSON,
  scope: STRING_JSON,
  erased: COUNTED,
  remains: listOf(STRING_JSON),
  limits: listOf(STRING_JSON),
};

/** The effect that an erasure would have. It is not signed, because nothing was erased. */
export interface ErasurePreview
  extends Pick<ErasureReceipt, 'tombstone_id' | 'entity_uri' | 'scope' | 'erased' | 'remains' | 'limits'> {
  readonly dry_run: true;
}

export const PREVIEW_JSON = objectOf({ dry_run: { type: 'boolean', const: true }, ...WHAT_JSON });

export const RECEIPT_JSON = objectOf({
  id: STRING_JSON,
  tenant_id: STRING_JSON,
  ...WHAT_JSON,
  created_at: INSTANT_JSON,
  signed_by: STRING_JSON,
  key_id: STRING_JSON,
  signature: STRING_JSON,
});

export interface ReceiptParts {
  readonly identity: NodeIdentity;
  readonly nodeId: string;
  readonly uuid: string;
  readonly nowMs: number;
  /** Whether the store is sealed, so that the keys of erased facts are destroyed. */
  readonly isSealed: boolean;
}

export const previewOf = (
  { id, entityUri, scope }: Tombstone,
  erased: ErasureCounts,
  isSealed: boolean,
): ErasurePreview => ({
  dry_run: true,
  tombstone_id: id,
  entity_uri: entityUri,
  scope,
  erased: { facts: 0, ...erased },
  remains: REMAINS,
  limits: limitsOf(isSealed),
});

export const signReceipt = (
  { id, tenantId, entityUri, scope }: Tombstone,
  erased: ErasureCounts,
  limits: readonly string[],
  { identity, nodeId, uuid, nowMs, isSealed }: ReceiptParts,
): ErasureReceipt => {
  const unsigned = {
    id: `erasure_${uuid}`,
    tombstone_id: id,
    tenant_id: tenantId,
    entity_uri: entityUri,
    scope,
    erased: { facts: 0, ...erased },
    remains: REMAINS,
    limits: [...limits, ...limitsOf(isSealed)],
    created_at: formatInstant(nowMs),
    signed_by: nodeId,
    key_id: keyIdOf(identity.publicKey),
  };
  return { ...unsigned, signature: encodeBase64Url(identity.sign(receiptBytes(unsigned))) };
};

/** Returns the bytes that the signature of a receipt covers. */
export const receiptBytes = (receipt: Omit<ErasureReceipt, 'signature'>): Uint8Array =>
  Buffer.from(canonicalJson(receipt));
