import {
  defineErrorCode,
  definePermission,
  defineRef,
  type FactValue,
  memberRefusal,
  type Notes,
  noted,
  type PluginSnapshot,
  type Principal,
  type Scope,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import { defineAssertionMember } from '../facts/facts-api.ts';

/** An API key without its secret (wire contract 13.1). */
export interface KeyRecord {
  readonly id: string;
  readonly entityUri: string;
  /** Sorted. One that no enabled plugin declares is kept and gives no right. */
  readonly permissions: readonly string[];
  readonly allowedScopes: readonly Scope[];
  readonly description: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339, as it was sent; null for a key without an end. */
  readonly expiresAt: string | null;
  readonly tenantId: string;
  /** Subject at the identity provider when the key came from an exchange. */
  readonly oidcSub: string | null;
  /** RFC 3339; null while the key is active or merely expired. */
  readonly revokedAt: string | null;
}

export interface KeyRegistration {
  /** At least `MIN_RAW_KEY_LENGTH` visible ASCII characters. Only its SHA-256 digest is kept. */
  readonly rawKey: string;
  readonly entityUri: string;
  /** At least one, of `KeyRegistry.permissions`. */
  readonly permissions: readonly string[];
  /** At least one. */
  readonly allowedScopes: readonly Scope[];
  /** At most 1024 characters. */
  readonly description?: string | null;
  /** RFC 3339. Absent or null: as long as keys may live. */
  readonly expiresAt?: string | null | undefined;
  /** Absent: the actor's. */
  readonly tenantId?: string | undefined;
  readonly oidcSub?: string | null;
}

export const MIN_RAW_KEY_LENGTH = 32;

/**
 * Key administration. The actor is whoever asks: a key is held to the rules for registrars, the node itself (`kind:
 * 'node'`, for the command line and the first key) is not.
 */
export interface KeyRegistry {
  /** Ids of the permissions that a key can be made with: those of the node and of the plugins that are enabled. */
  readonly permissions: readonly string[];
  /**
   * Stores the digest of a key. Rejects with `validation` for a registration that breaks a rule, `conflict` when the
   * key was ever known, `authorization` when the actor is no `admin`, came from an identity provider, or lacks a
   * permission, a scope or the tenant.
   */
  register(registration: KeyRegistration, actor: Principal): Promise<KeyRecord>;
  /** Keys of everybody, newest first; expired and revoked ones only when asked for. */
  list(options?: { readonly includeInactive?: boolean }): Promise<KeyRecord[]>;
  /**
   * Ends a key: at once in this process, within a second in every other. Idempotent. Rejects with `lookup` for an
   * unknown id and one that is neither the actor's own nor, for an admin, of its tenant.
   */
  revoke(id: string, actor: Principal): Promise<void>;
  /**
   * Whom the key stands for, in this snapshot or transaction; undefined for a key that is unknown, revoked or expired.
   * For what is done later in somebody's name: ask each time, and keep the id alone.
   */
  principalOf(id: string, snapshot: PluginSnapshot): Promise<Principal | undefined>;
  /** Keys ever registered, expired and revoked ones included. */
  count(): Promise<number>;
}

export const KeyRegistry = defineRef<KeyRegistry>('keys.registry');

/** What an agent has signed with one of its keys: an assertion as it was sent, before anything was trimmed. */
export interface SignedAssertion {
  readonly keyId: string;
  /** base64url without padding. */
  readonly signature: string;
  readonly entity: string;
  readonly relation: string;
  readonly value: FactValue;
  readonly source: string;
}

/** The member `attestation` of whatever a client asserts: a signature over it, and the agent key that made it. */
export interface AttestationJson {
  readonly key_id: string;
  readonly signature: string;
}

/** JSON schema of the member. */
export const ATTESTATION_JSON = {
  type: ['object', 'null'],
  required: ['key_id', 'signature'],
  properties: { key_id: { type: 'string', minLength: 1 }, signature: { type: 'string', minLength: 1 } },
} as const;

/** Public keys of agents, which sign what they assert (wire contract 2.6 and 13.4). */
export interface AgentKeys {
  /**
   * Resolves when the caller's own, active key `keyId` made the signature. Rejects with `attestation_invalid`
   * otherwise, and with `authorization` for a key of another entity of the tenant. `path` names the attestation for the
   * violation.
   */
  verify(assertion: SignedAssertion, caller: Principal, path: string): Promise<void>;
}

/** What a draft says of its signature, for the append to verify. */
export interface Attestation {
  readonly keyId: string;
  readonly signature: string;
  /** As sent, where that is not what the draft holds. */
  readonly entity?: string;
  readonly source?: string;
}

/** The member `attestation` of assertions. What its note says is verified before the transaction, whoever made it. */
export const ATTESTATION = defineAssertionMember<Attestation>('attestation', {
  summary: 'signature of an agent key over the assertion as it is sent',
  schema: { properties: { key_id: {}, signature: {} } },
  read(input, path, { entity, source }) {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      throw memberRefusal(path, 'must be an object');
    }
    const text = (name: string): string => {
      const value = Object.hasOwn(input, name) ? (input as Readonly<Record<string, unknown>>)[name] : undefined;
      if (typeof value === 'string' && value !== '') return value;
      throw memberRefusal(`${path}.${name}`, 'must be a non-empty string');
    };
    return {
      keyId: text('key_id'),
      signature: text('signature'),
      entity: String(entity),
      source: String(source),
    };
  },
});

/**
 * The note for a draft of a plugin whose caller sent a signature over it. Throws `attestation_invalid` where nobody
 * knows agent keys: no signature can be verified then, so none is accepted.
 */
export const attestationNotes = (
  agentKeys: AgentKeys | undefined,
  attestation: AttestationJson | null | undefined,
): Notes => {
  if (attestation == null) return new Map();
  if (agentKeys === undefined) {
    throw new ServiceError(ATTESTATION_INVALID, 'this node knows no agent keys, so no signature can be checked');
  }
  return noted(ATTESTATION.note, { keyId: attestation.key_id, signature: attestation.signature });
};

export const AgentKeys = defineRef<AgentKeys>('keys.agent-keys');

export const ATTESTATION_INVALID = defineErrorCode('attestation_invalid', {
  status: 422,
  summary: 'the signature of the assertion is not valid',
});

/** For the exchange of facts between nodes. */
export const FEDERATE = definePermission('federate', { summary: 'exchange facts with other nodes' });
