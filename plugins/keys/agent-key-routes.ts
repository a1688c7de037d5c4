import {
  arrayReply,
  type Clock,
  decodeBase64Url,
  memberRefusal,
  type PluginTables,
  type Principal,
  PUBLIC_KEY_BYTES,
  type Random,
  type Route,
  ServiceError,
  schema,
} from '../../kernel/plugin-api.ts';
import { type AuditLog, KEY_ROTATION } from '../audit/audit-api.ts';
import type { AgentKey, AgentKeyStore } from './agent-key-store.ts';
import { MAX_DESCRIPTION_LENGTH } from './check-registration.ts';
import { agentKeyJson } from './key-json.ts';

export interface AgentKeyParts {
  readonly store: AgentKeyStore;
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: AuditLog | undefined;
}

interface RegisterBody {
  readonly public_key: string;
  readonly description?: string | null;
}

/** `POST /v1/auth/agent-keys` */
export const registerAgentKeyRoute = (parts: AgentKeyParts): Route<undefined, undefined, RegisterBody> => ({
  method: 'POST',
  path: '/v1/auth/agent-keys',
  summary: 'Registers a public key with which the caller signs what it asserts',
  access: { permission: 'write' },
  body: schema<RegisterBody>({
    type: 'object',
    required: ['public_key'],
    properties: {
      public_key: { type: 'string' },
      description: { type: ['string', 'null'], maxLength: MAX_DESCRIPTION_LENGTH },
    },
  }),
  async handle({ caller, body }) {
    refuseUnlessPublicKey(body.public_key);
    const key: AgentKey = {
      id: parts.random.uuid(),
      entityUri: caller.entityUri,
      tenantId: caller.tenantId,
      publicKey: body.public_key,
      description: body.description ?? null,
      registeredMs: parts.clock.nowMs(),
      revokedMs: null,
    };
    await parts.tables.write(caller.tenantId, async (own, transaction) => {
      await parts.store.insert(own, key);
      await parts.audit?.record(rotation('agent_key_register', key, caller), transaction);
    });
    return { status: 201, body: agentKeyJson(key) };
  },
});

/** `GET /v1/auth/agent-keys` */
export const listAgentKeysRoute = ({ store }: AgentKeyParts): Route => ({
  method: 'GET',
  path: '/v1/auth/agent-keys',
  summary: "The caller's agent keys, newest first",
  access: { permission: 'any' },
  async handle({ caller }) {
    const keys = await store.listOf(caller.entityUri, caller.tenantId);
    return arrayReply(keys, agentKeyJson);
  },
});

/** `DELETE /v1/auth/agent-keys/{id}` */
export const revokeAgentKeyRoute = (parts: AgentKeyParts): Route<{ id: string }> => ({
  method: 'DELETE',
  path: '/v1/auth/agent-keys/:id',
  summary: 'Revokes an own agent key',
  access: { permission: 'any' },
  params: schema<{ id: string }>({ type: 'object', properties: { id: { type: 'string' } } }),
  async handle({ caller, params }) {
    await parts.tables.write(caller.tenantId, async (own, transaction) => {
      const [key] = await parts.store.among(own, [params.id]);
      const isOwn = key?.entityUri === caller.entityUri && key.tenantId === caller.tenantId;
      if (key === undefined || !isOwn) throw new ServiceError('lookup', 'no such agent key');
      if (key.revokedMs !== null) throw new ServiceError('conflict', 'the agent key is already revoked');
      await parts.store.revoke(own, key.id, parts.clock.nowMs());
      await parts.audit?.record(rotation('agent_key_revoke', key, caller), transaction);
    });
    return { status: 204 };
  },
});

const rotation = (action: string, key: AgentKey, caller: Principal) => ({
  event: KEY_ROTATION,
  tenantId: caller.tenantId,
  entityUri: caller.entityUri,
  oidcSub: caller.oidcSub,
  detail: { action, agent_key_id: key.id },
});

const refuseUnlessPublicKey = (text: string): void => {
  if (decodeBase64Url(text)?.length === PUBLIC_KEY_BYTES) return;
  const problem = `must be the ${PUBLIC_KEY_BYTES} bytes of an Ed25519 public key in base64url without padding`;
  throw memberRefusal('body.public_key', problem);
};
