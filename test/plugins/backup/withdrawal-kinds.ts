import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { ServingNode, Variables } from '../../adapters/cli/spawned-program.ts';
import { createPeerIdentity } from '../../kit/federation/peer-identity.ts';
import { askFor, codeFor, NODE_URL, redeem, refresh, register } from '../oauth/oauth-kit.ts';
import { asNode } from '../oauth/program-node.ts';
import { request } from './backup-place.ts';

/** The key of the administrator of a `BackupPlace`. */
const PERSON = 'backup-place-0123456789abcdef0123456789abcdef';
const RAW_KEY = 'leaves-0123456789abcdef0123456789abcdef';
const WRITES = { issuer: 'agent:admin', subject: 'agent:admin', verb: 'subscribe', object: 'project:atlas' };

/** Something that can be withdrawn, and must stay withdrawn after a restore. */
export interface Prepared {
  /** Withdraws it. Returns the status of the reply. */
  withdraw(node: ServingNode): Promise<number>;
  isWithdrawn(node: ServingNode): Promise<boolean>;
}

export interface WithdrawalKind {
  readonly title: string;
  /** Its journal in the data folder. */
  readonly file: string;
  readonly plugins: readonly string[];
  readonly env: Variables;
  prepare(node: ServingNode): Promise<Prepared>;
}

const made = async (node: ServingNode, path: string, body: object): Promise<Record<string, string>> => {
  const reply = await request(node, 'POST', path, body);
  expect(reply.status, `${path}: ${JSON.stringify(reply.body)}`).to.be.within(200, 201);
  return reply.body;
};
const sent = async (node: ServingNode, method: string, path: string, body?: object): Promise<number> =>
  (await request(node, method, path, body)).status;

const self = createPeerIdentity('svc://restored.test', Date.now);
const other = createPeerIdentity('svc://other.test', Date.now);

const key: WithdrawalKind = {
  title: 'a key',
  file: 'revoked-keys',
  plugins: [],
  env: {},
  async prepare(node) {
    const rights = { entity_uri: 'agent:leaver', permissions: ['read'], allowed_scopes: ['company'] };
    const { id } = await made(node, '/v1/auth/keys', { raw_key: RAW_KEY, ...rights });
    return {
      withdraw: (at) => sent(at, 'DELETE', `/v1/auth/keys/${id}`),
      async isWithdrawn({ url }) {
        const headers = { Authorization: `Bearer ${RAW_KEY}` };
        return (await fetch(`${url}/v1/facts?entity=user:a`, { headers })).status === 401;
      },
    };
  },
};

const agentKey: WithdrawalKind = {
  title: 'the key of an agent',
  file: 'revoked-keys',
  plugins: [],
  env: {},
  async prepare(node) {
    const { id } = await made(node, '/v1/auth/agent-keys', { public_key: randomBytes(32).toString('base64url') });
    return {
      withdraw: (at) => sent(at, 'DELETE', `/v1/auth/agent-keys/${id}`),
      async isWithdrawn(at) {
        const { body } = await request(at, 'GET', '/v1/auth/agent-keys');
        return body.find((one: { readonly id: string }) => one.id === id).revoked_at !== null;
      },
    };
  },
};

const token: WithdrawalKind = {
  title: 'a capability token',
  file: 'revoked-tokens',
  plugins: ['capability-tokens'],
  env: {},
  async prepare(node) {
    const { token_id: id } = await made(node, '/v1/federation/capability-tokens', WRITES);
    const revoke = (at: ServingNode) => sent(at, 'POST', `/v1/federation/capability-tokens/${id}/revoke`, {});
    return { withdraw: revoke, isWithdrawn: async (at) => (await revoke(at)) === 409 };
  },
};

const peering: WithdrawalKind = {
  title: 'a peering',
  file: 'revoked-peerings',
  plugins: ['federation'],
  env: {
    SVC_FEDERATION_ENABLED: 'true',
    SVC_FEDERATION_INSECURE: 'true',
    SVC_NODE_ID: self.nodeId,
    SVC_NODE_PRIVATE_KEY: self.seed,
  },
  async prepare(node) {
    const { peer_id: id } = await made(node, '/v1/federation/peers', self.declare(other.nodeId));
    return {
      withdraw: (at) => sent(at, 'DELETE', `/v1/federation/peers/${id}`),
      async isWithdrawn(at) {
        const { peers } = (await request(at, 'GET', '/v1/federation/peers')).body;
        return peers.every(({ status }: { readonly status: string }) => status === 'revoked');
      },
    };
  },
};

const TENANTS = { SVC_MULTI_TENANT_ENABLED: 'true' };
const addTenant = (node: ServingNode) =>
  made(node, '/v1/tenants', { id: 'acme', first_key: { raw_key: `acme-${RAW_KEY}`, entity_uri: 'agent:acme' } });
const changeTenant = (at: ServingNode, status: string) => sent(at, 'PATCH', '/v1/tenants/acme', { status });
const isTenant = async (at: ServingNode, status: string): Promise<boolean> =>
  (await request(at, 'GET', '/v1/tenants/acme')).body.status === status;

const tenant: WithdrawalKind = {
  title: 'the service for a tenant',
  file: 'suspended-tenants',
  plugins: ['multi-tenant'],
  env: TENANTS,
  async prepare(node) {
    await addTenant(node);
    return { withdraw: (at) => changeTenant(at, 'suspended'), isWithdrawn: (at) => isTenant(at, 'suspended') };
  },
};

const OAUTH = { SVC_OAUTH_ENABLED: 'true', SVC_NODE_URL: NODE_URL };
const OAUTH_PLUGINS = ['mcp', 'oauth', 'oidc'];
const givenTokens = async (program: ServingNode): Promise<Record<'clientId' | 'access' | 'refresh', string>> => {
  const node = asNode(program);
  const clientId = String((await register(node)).body?.client_id);
  const { status, text, body } = await redeem(node, clientId, await codeFor(node, askFor(clientId), PERSON));
  expect(status, text).to.equal(200);
  return { clientId, access: body.access_token, refresh: body.refresh_token };
};

const refreshToken: WithdrawalKind = {
  title: 'a refresh token by its use',
  file: 'spent-tokens',
  plugins: OAUTH_PLUGINS,
  env: OAUTH,
  async prepare(program) {
    const given = await givenTokens(program);
    const use = async (at: ServingNode) => (await refresh(asNode(at), given.clientId, given.refresh)).status;
    return { withdraw: use, isWithdrawn: async (at) => (await use(at)) === 400 };
  },
};

/** These reach the journal just after their commit. */
export const NOTED_AFTER: readonly WithdrawalKind[] = [key, agentKey, token, peering, tenant, refreshToken];

const subscription: WithdrawalKind = {
  title: 'a subscription',
  file: 'cancelled-subscriptions',
  plugins: ['capability-tokens', 'subscriptions'],
  env: { SVC_WEBHOOK_ALLOW_PRIVATE: 'true' },
  async prepare(node) {
    const { token_json } = await made(node, '/v1/federation/capability-tokens', WRITES);
    // Nothing listens there.
    const hook = { on_change: 'webhook', webhook_url: 'http://127.0.0.1:9/hook', capability_token: token_json };
    const { id } = await made(node, '/v1/subscriptions', { target: 'project:atlas', ...hook });
    return {
      withdraw: (at) => sent(at, 'DELETE', `/v1/subscriptions/${id}`),
      isWithdrawn: async (at) => (await request(at, 'GET', '/v1/subscriptions')).body.subscriptions.length === 0,
    };
  },
};

const accessToken: WithdrawalKind = {
  title: 'an access token that its client revokes',
  file: 'spent-tokens',
  plugins: OAUTH_PLUGINS,
  env: OAUTH,
  async prepare(program) {
    const { clientId, access } = await givenTokens(program);
    return {
      async withdraw({ url }) {
        const body = new URLSearchParams({ token: access, client_id: clientId });
        return (await fetch(`${url}/oauth/revoke`, { method: 'POST', body })).status;
      },
      async isWithdrawn({ url }) {
        const headers = { Authorization: `Bearer ${access}` };
        return (await fetch(`${url}/v1/facts?entity=user:a`, { headers })).status === 401;
      },
    };
  },
};

const suspension: WithdrawalKind = {
  title: 'the suspension of a tenant',
  file: 'suspended-tenants',
  plugins: ['multi-tenant'],
  env: TENANTS,
  async prepare(node) {
    await addTenant(node);
    expect(await changeTenant(node, 'suspended')).to.equal(200);
    return { withdraw: (at) => changeTenant(at, 'active'), isWithdrawn: (at) => isTenant(at, 'active') };
  },
};

/** These reach the journal before they are committed, because they leave no row to find them by. */
export const NOTED_BEFORE: readonly WithdrawalKind[] = [subscription, accessToken, suspension];
