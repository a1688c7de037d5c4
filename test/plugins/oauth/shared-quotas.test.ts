import { expect } from 'chai';
import { createLoopbackNetwork } from '../../fakes/loopback-network.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import {
  askFor,
  codeFor,
  NODE_URL,
  OAUTH_PLUGINS,
  type OAuthNode,
  redeem,
  register,
  startOAuthNode,
} from './oauth-kit.ts';

const PLUGINS = [...OAUTH_PLUGINS, 'conflicts', 'capability-tokens', 'subscriptions', 'rate-limits'];
const MAX_BYTES = 1_000;
const TARGET = 'svc://alpha.example/project/atlas';

/** Registers a client, and lets the person of the key give it access. Returns its access token. */
const letIn = async (node: TestNode, key: string): Promise<string> => {
  const { client_id: clientId } = (await register(node)).body;
  const { body } = await redeem(node, clientId, await codeFor(node, askFor(clientId), key));
  return body.access_token;
};

const endGrants = async (node: TestNode, key: string): Promise<void> => {
  for (const { id } of (await node.request('GET', '/v1/oauth/grants', { key })).body.grants) {
    expect((await node.request('DELETE', `/v1/oauth/grants/${id}`, { key })).status).to.equal(204);
  }
};

const storedBytes = async (node: TestNode, key: string): Promise<number> =>
  (await node.request('GET', '/v1/me/limits', { key })).body.stored_bytes?.used;

/** Stores a fact, and returns the status. */
const storeBytes = async (node: TestNode, key: string, count: number): Promise<number> => {
  const value = { type: 'string', v: 'x'.repeat(count) };
  const body = { entity: 'thing:1', relation: `memory:note-${count}`, value, source: 'agent:a' };
  return (await node.request('POST', '/v1/facts', { key, body })).status;
};

forEachStore('all OAuth clients of one person (I21)', () => {
  let node: OAuthNode;
  before(async () => {
    const settings = { 'rate-limits': { maxStoredBytes: MAX_BYTES }, gardens: { maxGardensPerEntity: 2 } };
    node = await startOAuthNode({}, { plugins: PLUGINS, settings });
  });
  after(() => node.stop());

  it('share the bytes that the person may store, even after their grants have ended', async () => {
    const key = await node.addKey({ entityUri: 'user:bytes' });
    expect(await storeBytes(node, await letIn(node, key), 600)).to.equal(201);
    await endGrants(node, key);
    const used = await storedBytes(node, key);
    expect(used).to.be.within(600, 700);
    const other = await letIn(node, key);
    expect(await storedBytes(node, other)).to.equal(used);
    expect([await storeBytes(node, other, 601), await storeBytes(node, key, 601)]).to.deep.equal([409, 409]);
    const stranger = await letIn(node, await node.addKey({ entityUri: 'user:stranger' }));
    expect(await storeBytes(node, stranger, 601)).to.equal(201);
  });

  it('share the number of gardens that the person may create, even after their grants have ended', async () => {
    const key = await node.addKey({ entityUri: 'user:gardens' });
    const create = async (as: string, slug: string): Promise<number> =>
      (await node.request('POST', '/v1/gardens', { key: as, body: { slug, name: slug, scope: 'local' } })).status;
    expect(await create(await letIn(node, key), 'one')).to.equal(201);
    await endGrants(node, key);
    const other = await letIn(node, key);
    expect(await create(other, 'two')).to.equal(201);
    expect([await create(other, 'three'), await create(key, 'three')]).to.deep.equal([409, 409]);
    expect(await create(await node.addKey({ entityUri: 'user:else' }), 'three')).to.equal(201);
  });

  it('share the number of subscriptions to a target that the person may have', async () => {
    const key = await node.addKey({ entityUri: 'user:webhooks' });
    const subscribe = async (as: string, from: number, to: number): Promise<number[]> => {
      const { entity_uri: subject } = (await node.request('GET', '/v1/me', { key: as })).body;
      const asked = { issuer: subject, subject, verb: 'subscribe', object: TARGET };
      const token = await node.request('POST', '/v1/federation/capability-tokens', { key: as, body: asked });
      const statuses: number[] = [];
      for (let at = from; at <= to; at++) {
        const body = { target: TARGET, on_change: 'webhook', webhook_url: `https://hook.example/${at}` };
        const headers = { 'X-Svc-Capability': token.body.token_json };
        statuses.push((await node.request('POST', '/v1/subscriptions', { key: as, headers, body })).status);
      }
      return statuses;
    };
    expect(new Set(await subscribe(await letIn(node, key), 1, 8))).to.deep.equal(new Set([201]));
    expect(new Set(await subscribe(await letIn(node, key), 9, 16))).to.deep.equal(new Set([201]));
    expect(await subscribe(await letIn(node, key), 17, 17)).to.deep.equal([409]);
    expect(await subscribe(key, 17, 17)).to.deep.equal([409]);
  });
});

forEachStore('bytes that a client stored while no limit was set', () => {
  it('count towards the limit of its person later, although the grant has ended', async () => {
    const clock = createManualClock();
    const first = await startOAuthNode({}, { plugins: PLUGINS, clock });
    let second: TestNode | undefined;
    try {
      const key = await first.addKey({ entityUri: 'user:late' });
      expect(await storeBytes(first, await letIn(first, key), 600)).to.equal(201);
      await endGrants(first, key);
      second = await startTestNode({
        plugins: PLUGINS,
        clock,
        folder: first.folder,
        network: createLoopbackNetwork(clock),
        random: createSeededRandom(2),
        url: NODE_URL,
        settings: { 'rate-limits': { maxStoredBytes: MAX_BYTES } },
      });
      const later = second;
      await comesTrue(async () => {
        await clock.advance(5_000);
        return (await storedBytes(later, key)) > 600;
      });
      expect(await storeBytes(later, key, 601)).to.equal(409);
    } finally {
      await second?.stop();
      await first.stop();
    }
  });
});
