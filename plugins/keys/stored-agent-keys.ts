import {
  decodeBase64Url,
  hasForbiddenCodePoint,
  isWithinCharacters,
  PUBLIC_KEY_BYTES,
} from '../../kernel/internal-api.ts';
import {
  type Clock,
  formatInstant,
  memberRefusal,
  type PluginTables,
  type Principal,
  type Random,
  requirePermission,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import { type AuditLog, KEY_ROTATION } from '../audit/audit-api.ts';
import type { AgentKey, AgentKeyStore } from './agent-key-store.ts';
import { MAX_DESCRIPTION_LENGTH } from './check-registration.ts';
import type { AgentKeyRecord, AgentKeyRegistration, AgentKeys } from './keys-api.ts';

/** The maximum number of keys of an agent. Revoked keys count, because facts that they have signed refer to them. */
export const MAX_AGENT_KEYS = 1_000;

export interface AgentKeyParts {
  readonly store: AgentKeyStore;
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: AuditLog | undefined;
}

export class StoredAgentKeys implements AgentKeys {
  readonly #parts: AgentKeyParts;

  constructor(parts: AgentKeyParts) {
    this.#parts = parts;
  }

  async register(caller: Principal, registration: AgentKeyRegistration): Promise<AgentKeyRecord> {
    requirePermission(caller, 'write');
    checkAgentKey(registration);
    const { store, tables, clock, random, audit } = this.#parts;
    const key: AgentKey = {
      id: random.uuid(),
      entityUri: caller.entityUri,
      tenantId: caller.tenantId,
      publicKey: registration.publicKey,
      description: registration.description ?? null,
      registeredMs: clock.nowMs(),
      revokedMs: null,
    };
    await tables.write(caller.tenantId, async (own, transaction) => {
      if ((await store.countOf(own, key, MAX_AGENT_KEYS)) >= MAX_AGENT_KEYS) throw tooManyKeys();
      await store.insert(own, key);
      await audit?.record(rotation('agent_key_register', key, caller), transaction);
    });
    return recordOf(key);
  }

  async own({ entityUri, tenantId }: Principal): Promise<AgentKeyRecord[]> {
    return (await this.#parts.store.listOf(entityUri, tenantId)).map(recordOf);
  }

  async revoke(caller: Principal, id: string): Promise<void> {
    const { store, tables, clock, audit } = this.#parts;
    await tables.write(caller.tenantId, async (own, transaction) => {
      const [key] = await store.among(own, [id], caller.tenantId);
      if (key?.entityUri !== caller.entityUri) throw new ServiceError('lookup', 'no such agent key');
      if (key.revokedMs !== null) throw new ServiceError('conflict', 'the agent key is already revoked');
      await store.revoke(own, key, clock.nowMs());
      await audit?.record(rotation('agent_key_revoke', key, caller), transaction);
    });
  }

  async among(ids: readonly string[], tenantId: string): Promise<readonly AgentKeyRecord[]> {
    return (await this.#parts.tables.read((own) => this.#parts.store.among(own, ids, tenantId))).map(recordOf);
  }
}

const tooManyKeys = (): ServiceError =>
  new ServiceError('limit_reached', `an entity registers at most ${MAX_AGENT_KEYS} agent keys`, {
    hint: 'go on with one of those there are, or give the agent an entity of its own',
  });

const recordOf = (key: AgentKey): AgentKeyRecord => ({
  id: key.id,
  entityUri: key.entityUri,
  publicKey: key.publicKey,
  description: key.description,
  registeredAt: formatInstant(key.registeredMs),
  revokedAt: key.revokedMs === null ? null : formatInstant(key.revokedMs),
});

const rotation = (action: string, key: AgentKey, caller: Principal) => ({
  event: KEY_ROTATION,
  tenantId: caller.tenantId,
  entityUri: caller.entityUri,
  oidcSub: caller.oidcSub,
  detail: { action, agent_key_id: key.id },
});

const checkAgentKey = ({ publicKey, description }: AgentKeyRegistration): void => {
  if (decodeBase64Url(publicKey)?.length !== PUBLIC_KEY_BYTES) {
    const problem = `must be the ${PUBLIC_KEY_BYTES} bytes of an Ed25519 public key in base64url without padding`;
    throw memberRefusal('body.public_key', problem);
  }
  const text = description ?? '';
  if (hasForbiddenCodePoint(text) || !isWithinCharacters(text, MAX_DESCRIPTION_LENGTH)) {
    throw memberRefusal('body.description', `must be text of at most ${MAX_DESCRIPTION_LENGTH} characters`);
  }
};
