import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createLoopbackNetwork, type LoopbackNetwork } from '../../fakes/loopback-network.ts';
import { createManualClock, type ManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../start-test-node.ts';
import { createTestRequest, type TestReply } from '../test-request.ts';
import { createPeerIdentity, type Document, type PeerIdentity } from './peer-identity.ts';

/** A complete node that exchanges facts with others. */
export interface FederatedNode extends TestNode {
  /** The identity of the node, with which the test signs declarations in its name. */
  readonly identity: PeerIdentity;
  readonly nodeId: string;
  /** A key with every permission and scope. */
  readonly key: string;
  /** Asserts a fact, and returns the fact object. */
  say(members?: Document): Promise<Document & { readonly id: string; readonly hlc: string }>;
  /** Sends a GET request with `key`. */
  get(target: string): Promise<TestReply>;
}

export interface FederatedNodeOptions extends TestNodeOptions {
  /** The name from which the address `https://<name>.test`, the id, the key and the random seed are derived. */
  readonly name: string;
  readonly clock: ManualClock;
  readonly network: LoopbackNetwork;
  /** Whether the key is stored in a file in `folder`, so that it can be rotated. */
  readonly keyInFile?: boolean;
}

/** Creates the clock and the network that all nodes of one test share. */
export const createWorld = (): { readonly clock: ManualClock; readonly network: LoopbackNetwork } => {
  const clock = createManualClock();
  return { clock, network: createLoopbackNetwork(clock) };
};

/** The pull interval: one second, so that a test advances its clock in small steps. */
export const PULL_INTERVAL_MS = 1_000;

export const ALL_PERMISSIONS = ['read', 'write', 'federate', 'admin', 'audit.read', 'instruction:write'] as const;

/** The number of starts, because a restarted node must generate other ids than before. */
let starts = 0;

export const startFederatedNode = async (options: FederatedNodeOptions): Promise<FederatedNode> => {
  const { name, clock, network, keyInFile = false, env = {}, ...rest } = options;
  const nodeId = `svc://${name}.test`;
  const identity = createPeerIdentity(nodeId, () => clock.nowMs());
  starts += 1;
  if (keyInFile) await writeKeyOnce(options, identity.seed);
  const node = await startTestNode({
    url: `https://${name}.test`,
    random: createSeededRandom(createHash('sha256').update(`${name} ${starts}`).digest().readUInt32BE()),
    ...rest,
    clock,
    network,
    env: {
      SVC_FEDERATION_ENABLED: 'true',
      SVC_FEDERATION_PULL_INTERVAL_S: String(PULL_INTERVAL_MS / 1_000),
      SVC_NODE_ID: nodeId,
      ...(keyInFile ? {} : { SVC_NODE_PRIVATE_KEY: identity.seed }),
      ...env,
    },
  });
  const key = await node.addKey({ entityUri: `agent:owner-of-${name}`, permissions: ALL_PERMISSIONS });
  const request = createTestRequest(network, node.url);
  let said = 0;
  return {
    ...node,
    identity,
    nodeId,
    key,
    get: (target) => request('GET', target, { key }),
    async say(members = {}) {
      said += 1;
      const body = {
        entity: `user:of-${name}`,
        relation: `memory:note-${said}`,
        value: { type: 'string', v: `said on ${name}` },
        source: `agent:of-${name}`,
        scope: 'public',
        ...members,
      };
      const reply = await request('POST', '/v1/facts', { key, body });
      expect(reply.status, reply.text).to.equal(201);
      return reply.body;
    },
  };
};

const writeKeyOnce = async ({ folder = '' }: FederatedNodeOptions, seed: string): Promise<void> => {
  const written = writeFile(join(folder, 'node.key'), seed, { mode: 0o600, flag: 'wx' });
  await written.catch((error: { readonly code?: string }) => {
    if (error.code !== 'EEXIST') throw error;
  });
};
