import type { ExampleRow } from './example-row.ts';
import {
  holdFact,
  issueCapability,
  makeGarden,
  makePeer,
  makeSharedGarden,
  publishInstructions,
  startPeer,
  storeFact,
  subscribe,
  writeInstructions,
} from './prepare.ts';
import { CALLER, type Stage } from './stage.ts';

const ofGarden = async (stage: Stage) => ({ params: { garden: await makeGarden(stage) } });
const ofSharedGarden = async (stage: Stage) => ({ params: { garden: await makeSharedGarden(stage) } });
const ofSubscription = async (stage: Stage) => ({ params: { id: await subscribe(stage) } });

const GARDENS: readonly ExampleRow[] = [
  { route: 'GET /v1/gardens' },
  { route: 'POST /v1/gardens', prepare: async ({ unique }) => ({ body: { slug: `atlas-${unique()}` } }) },
  { route: 'GET /v1/gardens/*garden', prepare: ofGarden },
  { route: 'DELETE /v1/gardens/*garden', prepare: ofGarden },
  { route: 'GET /v1/gardens/*garden/members', prepare: ofGarden },
  { route: 'POST /v1/gardens/*garden/members', prepare: ofGarden },
  { route: 'PATCH /v1/gardens/:garden/members/*entity_uri', prepare: ofSharedGarden },
  { route: 'DELETE /v1/gardens/:garden/members/*entity_uri', prepare: ofSharedGarden },
  {
    route: 'POST /v1/gardens/*garden/promote',
    async prepare(stage) {
      const { garden, factId, target } = await holdFact(stage);
      return { params: { garden }, body: { fact_id: factId, target_garden_id: target } };
    },
  },
  {
    route: 'POST /v1/gardens/*garden/reject',
    async prepare(stage) {
      const { garden, factId } = await holdFact(stage);
      return { params: { garden }, body: { fact_id: factId } };
    },
  },
  {
    route: 'GET /v1/quarantine',
    prepare: async (stage) => ({ query: { garden_id: (await holdFact(stage)).garden } }),
  },
  {
    route: 'POST /v1/quarantine/:fact_id/admit',
    async prepare(stage) {
      const { factId, target } = await holdFact(stage);
      return { params: { fact_id: factId }, body: { target_garden_id: target } };
    },
  },
  {
    route: 'POST /v1/quarantine/:fact_id/reject',
    prepare: async (stage) => ({ params: { fact_id: (await holdFact(stage)).factId } }),
  },
];

const INSTRUCTIONS: readonly ExampleRow[] = [
  {
    route: 'PUT /v1/agents/:agent_id/instruction-manifest',
    async prepare(stage) {
      const { agentId, entries } = await writeInstructions(stage);
      return { params: { agent_id: agentId }, body: { entries } };
    },
  },
  {
    route: 'GET /v1/agents/:agent_id/instruction-manifest',
    prepare: async (stage) => ({ params: { agent_id: await publishInstructions(stage) } }),
  },
  {
    route: 'POST /v1/agents/:agent_id/recall-instruction',
    prepare: async (stage) => ({ params: { agent_id: await publishInstructions(stage) } }),
  },
  {
    route: 'POST /v1/instruction/audit',
    async prepare(stage) {
      const path = `/v1/agents/${await publishInstructions(stage)}/recall-instruction`;
      const { audit_token } = await stage.ask('POST', path, { body: { intent: 'write release notes' } });
      return { body: { audit_token } };
    },
  },
];

const SUBSCRIPTIONS: readonly ExampleRow[] = [
  { route: 'GET /v1/subscriptions' },
  {
    route: 'POST /v1/subscriptions',
    async prepare(stage) {
      const { token_json: token } = await issueCapability(stage);
      return { headers: { 'X-Svc-Capability': token }, body: { idempotency_key: stage.unique() } };
    },
  },
  { route: 'GET /v1/subscriptions/:id', prepare: ofSubscription },
  { route: 'GET /v1/subscriptions/:id/events', prepare: ofSubscription },
  {
    route: 'GET /v1/subscriptions/:id/stream',
    isStream: true,
    async prepare(stage) {
      const id = await subscribe(stage);
      for (const _ of [1, 2]) await storeFact(stage);
      const { events } = await stage.ask('GET', `/v1/subscriptions/${id}/events?limit=1`);
      return { params: { id }, headers: { 'Last-Event-ID': events[0].event_id } };
    },
  },
  { route: 'POST /v1/subscriptions/:id/rotate-secret', prepare: ofSubscription },
  { route: 'DELETE /v1/subscriptions/:id', prepare: ofSubscription },
];

const CAPABILITIES: readonly ExampleRow[] = [
  { route: 'GET /v1/federation/capability-tokens' },
  { route: 'POST /v1/federation/capability-tokens' },
  {
    route: 'POST /v1/federation/capability-tokens/verify',
    prepare: async (stage) => ({ body: { token_json: (await issueCapability(stage)).token_json } }),
  },
  {
    route: 'POST /v1/federation/capability-tokens/:token_id/revoke',
    prepare: async (stage) => ({ params: { token_id: (await issueCapability(stage)).token_id } }),
  },
];

const FEDERATION: readonly ExampleRow[] = [
  { route: 'GET /v1/federation/peers' },
  {
    route: 'POST /v1/federation/declarations',
    async prepare(stage) {
      const { url } = await startPeer(stage);
      return { body: { peer: url } };
    },
  },
  {
    route: 'POST /v1/federation/peers',
    async prepare(stage) {
      const { url, declare } = await startPeer(stage);
      return { body: declare(stage.identity.nodeId, { node_url: url }) };
    },
  },
  {
    route: 'DELETE /v1/federation/peers/:peer_id',
    prepare: async (stage) => ({ params: { peer_id: (await makePeer(stage)).peerId } }),
  },
  {
    route: 'GET /v1/federation/peers/:peer_id/lag',
    prepare: async (stage) => ({ params: { peer_id: (await makePeer(stage)).peerId } }),
  },
  { route: 'GET /v1/federation/audit' },
  {
    route: 'GET /v1/federation/facts',
    prepare: async (stage) => ({ credential: (await makePeer(stage)).token(stage.identity.nodeId) }),
  },
  {
    route: 'POST /v1/federation/facts/push',
    async prepare(stage) {
      const peer = await makePeer(stage);
      return { credential: peer.token(stage.identity.nodeId), body: { facts: [peer.fact()] } };
    },
  },
  {
    route: 'GET /v1/federation/tombstones',
    async prepare(stage) {
      const peer = await makePeer(stage);
      const need = { issuer: CALLER, subject: peer.nodeId, verb: 'tombstone:read', object: 'public' };
      const { token_json: token } = await issueCapability(stage, need);
      return { credential: peer.token(stage.identity.nodeId), headers: { 'X-Svc-Capability': token } };
    },
  },
];

/** Routes of gardens, instructions, subscriptions, capability tokens and peers. */
export const SHARED_EXAMPLE_ROWS: readonly ExampleRow[] = [
  ...GARDENS,
  ...INSTRUCTIONS,
  ...SUBSCRIPTIONS,
  ...CAPABILITIES,
  ...FEDERATION,
];
