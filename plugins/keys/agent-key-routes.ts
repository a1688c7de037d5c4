import { objectRequiring, objectSchema } from '../../kernel/internal-api.ts';
import { arrayReply, listOf, NO_BODY, type Route } from '../../kernel/plugin-api.ts';
import { MAX_DESCRIPTION_LENGTH } from './check-registration.ts';
import { AGENT_KEY_JSON, agentKeyJson } from './key-json.ts';
import type { AgentKeys } from './keys-api.ts';

interface RegisterBody {
  readonly public_key: string;
  readonly description?: string | null;
}

/** `POST /v1/auth/agent-keys` */
export const registerAgentKeyRoute = (agentKeys: AgentKeys): Route<undefined, undefined, RegisterBody> => ({
  method: 'POST',
  path: '/v1/auth/agent-keys',
  summary: 'Registers a public key with which the caller signs what it asserts',
  access: { permission: 'write' },
  body: objectRequiring<RegisterBody>(['public_key'], {
    public_key: { type: 'string' },
    description: { type: ['string', 'null'], maxLength: MAX_DESCRIPTION_LENGTH },
  }),
  answers: { 201: { json: AGENT_KEY_JSON } },
  example: {
    body: { public_key: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', description: 'key of the indexer, 2026' },
  },
  async handle({ caller, body: { public_key: publicKey, description = null } }) {
    return { status: 201, body: agentKeyJson(await agentKeys.register(caller, { publicKey, description })) };
  },
});

/** `GET /v1/auth/agent-keys` */
export const listAgentKeysRoute = (agentKeys: AgentKeys): Route => ({
  method: 'GET',
  path: '/v1/auth/agent-keys',
  summary: "The caller's agent keys, newest first",
  // Lists all of them.
  cost: 250,
  access: { permission: 'any' },
  answers: { 200: { json: listOf(AGENT_KEY_JSON) } },
  example: {},
  handle: async ({ caller }) => arrayReply(await agentKeys.own(caller), agentKeyJson),
});

/** `DELETE /v1/auth/agent-keys/{id}` */
export const revokeAgentKeyRoute = (agentKeys: AgentKeys): Route<{ id: string }> => ({
  method: 'DELETE',
  path: '/v1/auth/agent-keys/:id',
  summary: 'Revokes an own agent key',
  access: { permission: 'any' },
  params: objectSchema<{ id: string }>({ id: { type: 'string' } }),
  answers: { 204: NO_BODY },
  example: { params: { id: '2b9e7c14-6d58-4a3f-b0c1-9e8d7f6a5b43' } },
  async handle({ caller, params }) {
    await agentKeys.revoke(caller, params.id);
    return { status: 204 };
  },
});
