import { JobQueue } from '../../../plugins/jobs/jobs-api.ts';
import { createPeerIdentity } from '../../kit/federation/peer-identity.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { CALLER, IDLE_JOB, type Stage } from './stage.ts';

// The preparations use the routes of the node where possible.

export interface StoredFact {
  readonly id: string;
  readonly cid: string;
}

/** Stores a new fact; `members` override the defaults. */
export const storeFact = ({ ask, unique }: Stage, members: object = {}): Promise<StoredFact> =>
  ask('POST', '/v1/facts', {
    body: {
      entity: 'project:atlas',
      relation: `memory:note-${unique()}`,
      value: { type: 'string', v: 'Alice has read the release notes.' },
      source: CALLER,
      scope: 'company',
      ...members,
    },
  });

/** Stores two facts that contradict each other. */
export const makeConflict = async (stage: Stage): Promise<{ readonly id: string; readonly winner: string }> => {
  const relation = `memory:status-${stage.unique()}`;
  await storeFact(stage, { relation, value: { type: 'string', v: 'in alpha' } });
  const { id } = await storeFact(stage, { relation, value: { type: 'string', v: 'in beta' } });
  const { conflicts } = await stage.ask('GET', '/v1/conflicts?limit=1');
  return { id: conflicts[0].conflict_id, winner: id };
};

/** Creates a garden and returns its slug. */
export const makeGarden = async ({ ask, unique }: Stage, members: object = {}): Promise<string> => {
  const slug = `atlas-${unique()}`;
  await ask('POST', '/v1/gardens', { body: { slug, name: 'Atlas', scope: 'company', ...members } });
  return slug;
};

/** Creates a garden with Alice as a member. */
export const makeSharedGarden = async (stage: Stage): Promise<string> => {
  const garden = await makeGarden(stage);
  await stage.ask('POST', `/v1/gardens/${garden}/members`, { body: { entity_uri: 'user:alice', role: 'reader' } });
  return garden;
};

/** Stores a pending fact in a quarantine garden, and creates a garden that may receive it. */
export const holdFact = async (stage: Stage) => {
  const garden = await makeGarden(stage, { quarantine: true });
  const { id } = await storeFact(stage, { garden_id: garden });
  return { garden, factId: id, target: await makeGarden(stage) };
};

/** Adds a job without a worker, which is queued until it is cancelled. */
export const addJob = async ({ node }: Stage): Promise<string> =>
  node.kernel.get(JobQueue).enqueue({ type: IDLE_JOB, tenantId: 'default', creator: CALLER });

export const registerKey = async ({ ask, unique }: Stage): Promise<string> =>
  (await ask('POST', '/v1/auth/keys', { body: { raw_key: `raw-key-${unique()}`, entity_uri: CALLER } })).id;

export const issueCapability = (
  { ask }: Stage,
  members: object = {},
): Promise<{ readonly token_id: string; readonly token_json: string }> =>
  ask('POST', '/v1/federation/capability-tokens', {
    body: { issuer: CALLER, subject: CALLER, verb: 'subscribe', object: 'project:atlas', ...members },
  });

export const subscribe = async (stage: Stage): Promise<string> => {
  const { token_json: token } = await issueCapability(stage);
  const { id } = await stage.ask('POST', '/v1/subscriptions', {
    headers: { 'X-Svc-Capability': token },
    body: { target: 'project:atlas', on_change: 'webhook', webhook_url: 'https://hooks.example.com/atlas' },
  });
  return id;
};

/** Starts another node, to which no node has declared a peering yet. */
export const startPeer = ({ network, unique }: Stage): Promise<TestPeer> =>
  startTestPeer({ network, nowMs: Date.now, host: `beta-${unique()}.example.org` });

/** Starts another node with which this one exchanges public facts. */
export const makePeer = async (stage: Stage): Promise<TestPeer & { readonly peerId: string }> => {
  const peer = await startPeer(stage);
  await stage.ask('POST', '/v1/federation/peers', { body: stage.identity.declare(peer.nodeId) });
  const { peer_id: peerId } = await stage.ask('POST', '/v1/federation/peers', {
    body: peer.declare(stage.identity.nodeId),
  });
  return { ...peer, peerId };
};

export const makeTenant = async ({ ask, unique }: Stage): Promise<string> => {
  const id = `acme-${unique()}`;
  await ask('POST', '/v1/tenants', {
    body: { id, first_key: { raw_key: `raw-key-${unique()}`, entity_uri: 'user:alice' } },
  });
  return id;
};

export const makeTombstone = async ({ ask, unique }: Stage): Promise<{ readonly id: string; readonly of: string }> => {
  const of = `user:bob-${unique()}`;
  return { id: (await ask('POST', '/v1/tombstones', { body: { entity_uri: of } })).id, of };
};

/** Returns the public key of a new agent key. */
export const drawPublicKey = ({ unique }: Stage): string => createPeerIdentity(`svc://${unique()}`, Date.now).publicKey;

const UNIT = 'release-notes';

/** Returns a manifest body for a new agent, with one unit that contains an instruction. */
export const writeInstructions = async (stage: Stage) => {
  const agentId = `indexer-${stage.unique()}`;
  const factUri = `instruction:default/agent/${agentId}/${UNIT}/v1`;
  const value = { type: 'text', v: 'Name each change in one line, newest first.' };
  await storeFact(stage, { entity: factUri, relation: 'instruction:content', value, scope: 'local' });
  const entries = [{ name: UNIT, description: 'How release notes are written', fact_uri: factUri, token_estimate: 40 }];
  return { agentId, entries };
};

/** Publishes a manifest, and returns the id of its agent. */
export const publishInstructions = async (stage: Stage): Promise<string> => {
  const { agentId, entries } = await writeInstructions(stage);
  const body = { version: 'v1', entries };
  await stage.ask('PUT', `/v1/agents/${agentId}/instruction-manifest`, { body });
  return agentId;
};
