import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FACT_RETURNED, NodeSelf, nodePrincipal, sealJson } from '../../../kernel/plugin-api.ts';
import { PeerRegistry } from '../../../plugins/federation/federation-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { endLeases } from '../../kit/end-leases.ts';
import { dyingAfterPiece, type Killing } from '../../kit/federation/dying-store.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import {
  declareBoth,
  drain,
  has,
  peerUp,
  postDeclaration,
  pullUntil,
  push,
} from '../../kit/federation/peering-steps.ts';
import { currentKey, rotate } from '../../kit/federation/rotate-node.ts';
import { signedRevocation, signedTombstone } from '../../kit/federation/signed-tombstone.ts';
import { startTestPeer } from '../../kit/federation/test-peer.ts';
import { capability, follow } from '../../kit/federation/tombstone-steps.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const MINUTE_MS = 60_000;
/** The step of the test clock, shorter than the lease of a process, which must not expire while the process signs. */
const STEP_MS = 5_000;
/** More facts than one transaction signs again. */
const FACTS = 250;
const SETTINGS = { tombstones: { enabled: true } };

interface ProofRow {
  readonly fact_id: string;
  readonly key_id: string;
}

forEachStore('A key that has ended', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ended-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const sayMany = async (node: FederatedNode, length: number): Promise<void> => {
    const body = Array.from({ length }, (_, n) => ({
      entity: `user:${n}`,
      relation: 'memory:n',
      value: { type: 'number', v: n },
      source: 'agent:w',
      scope: 'public',
    }));
    expect((await node.request('POST', '/v1/facts/batch', { key: node.key, body })).status).to.equal(200);
  };
  const proofsOf = (node: FederatedNode): Promise<readonly ProofRow[]> =>
    node.kernel.get(FactStore).table('federation_proofs').select('fact_id', 'key_id');
  const signaturesOf = async (node: FederatedNode): Promise<readonly ProofRow[]> => {
    const tables = ['tombstones_markers', 'tombstones_revocations'];
    const rows = tables.map((table) => node.kernel.get(FactStore).table(table).select('key_id'));
    return (await Promise.all(rows)).flat();
  };
  const tombstone = async (node: FederatedNode, entity: string): Promise<{ readonly id: string }> => {
    const reply = await node.request('POST', '/v1/tombstones', { key: node.key, body: { entity_uri: entity } });
    expect(reply.status, reply.text).to.equal(201);
    return reply.body;
  };
  const totalOf = async (node: FederatedNode): Promise<number> =>
    (await node.get('/v1/facts?relation=memory:n&limit=1')).body.total;

  it('proves nothing new, and a node that joins after three rotations gets everything by a relay', async function () {
    this.timeout(300_000);
    const world = createWorld();
    const start = () => startFederatedNode({ name: 'a', ...world, folder, keyInFile: true, settings: SETTINGS });
    let a = await start();
    const relayFolder = join(folder, 'relay');
    await mkdir(relayFolder);
    const startRelay = () =>
      startFederatedNode({ name: 'b', ...world, folder: relayFolder, keyInFile: true, settings: SETTINGS });
    let relay = await startRelay();
    const thief = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs(), host: 'thief.test' });
    await peerUp(a, relay);
    await sayMany(a, 20);
    await pullUntil(a, async () => (await totalOf(relay)) === 20);
    await follow(relay, a.nodeId, await capability(a, relay));
    for (const entity of ['user:1', 'user:2']) await tombstone(a, entity);
    await pullUntil(a, async () => (await totalOf(relay)) === 18);
    const { id } = await tombstone(a, 'user:2');
    await a.request('POST', `/v1/tombstones/${id}/revoke`, { key: a.key, body: { reason: 'a mistake' } });
    await pullUntil(a, async () => (await totalOf(relay)) === 19);
    const stolen = a.identity;
    await relay.stop();
    for (let turn = 0; turn < 3; turn += 1) a = await rotate(a, start);
    relay = await startRelay();
    const current = await currentKey(a);
    await pullUntil(a, async () => {
      const signatures = [...(await proofsOf(relay)), ...(await signaturesOf(relay))];
      // The hidden fact is not served, so its proof stays. Two tombstones and a revocation are signed again.
      return signatures.filter(({ key_id: keyId }) => keyId === current).length === 19 + 3;
    });

    const late = await startFederatedNode({ name: 'c', ...world, settings: SETTINGS });
    // The late node knows the keys of the origin, and gets its facts from the relay alone.
    const { declaration } = await a.kernel
      .get(PeerRegistry)
      .declare(nodePrincipal(a.kernel.get(NodeSelf).names), { peer: late.nodeId, direction: 'inbound' });
    const theirs = late.identity.declare(a.nodeId, { direction: 'outbound' });
    for (const [node, document] of [
      [late, declaration],
      [late, theirs],
      [a, theirs],
    ] as const) {
      expect((await postDeclaration(node, document)).status).to.equal(201);
    }
    await peerUp(relay, late);
    await declareBoth(late, thief);
    await follow(late, relay.nodeId, await capability(relay, late));
    await pullUntil(a, async () => (await totalOf(late)) === 19 && (await signaturesOf(late)).length === 3);
    const { body } = await late.get('/v1/facts?relation=memory:n&limit=500');
    expect(body.facts.every((fact: { origin_verified: boolean }) => fact.origin_verified)).to.equal(true);

    const [said] = body.facts;
    const { entity, relation, value, source } = said;
    const forged = [
      {},
      { entity, relation, value, source, confidence: 0 },
      { entity, relation, source, derived_from: [said.cid] },
    ].map((changes) => {
      const { origin_proof: _, ...made } = { ...thief.fact(changes), origin_node_id: a.nodeId };
      return { ...made, origin_proof: stolen.prove(made) };
    });
    const refused = await push(late, thief, forged);
    expect(refused.body.errors.map((one: { readonly error: string }) => one.error)).to.deep.equal(
      forged.map(() => 'invalid_origin_proof'),
    );
    const nowMs = world.clock.nowMs();
    const [honest] = (await late.get('/v1/tombstones/user:1')).body.tombstones;
    thief.tombstones.push(signedTombstone(stolen, nowMs, { entity_uri: entity }), {
      ...honest,
      erase: false,
      revocation: signedRevocation(stolen, nowMs, honest.id),
    });
    await follow(late, thief.nodeId, 'any');
    const isRejected = async () =>
      (await late.get('/v1/auth/audit?event_type=tombstone_federation_rejected')).body.total >= thief.tombstones.length;
    await pullUntil(a, isRejected);
    expect(await totalOf(late)).to.equal(19);
    expect((await late.get('/v1/tombstones/user:1')).body).to.include({ tombstoned: true });
    for (const node of [a, relay, late]) await node.stop();
    await thief.stop();
  });

  it('still proves facts and tombstones that the origin itself sends', async () => {
    const world = createWorld();
    const node = await startFederatedNode({ name: 'n', ...world, settings: SETTINGS });
    const origin = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs(), host: 'origin.test' });
    await declareBoth(node, origin);
    const fact = origin.fact();
    await node.kernel
      .get(FactStore)
      .table('federation_peers')
      .update({ public_keys: sealJson([[origin.publicKey, world.clock.nowMs() + MINUTE_MS]]) });
    origin.feed.push(fact);
    await world.clock.advance(2 * MINUTE_MS);
    await pullUntil(node, () => has(node, fact.id));
    expect((await node.get(`/v1/facts/${fact.id}`)).body.origin_verified).to.equal(true);
    origin.tombstones.push(signedTombstone(origin, world.clock.nowMs(), { entity_uri: fact.entity }));
    await follow(node, origin.nodeId, 'any');
    await pullUntil(node, async () => !(await has(node, fact.id)));
    await node.stop();
    await origin.stop();
  });

  it('is replaced in the proofs of all served facts, even if the node is killed in the middle', async function () {
    this.timeout(300_000);
    const world = createWorld();
    const killing: Killing = { kind: FACT_RETURNED.id, isArmed: false, isDead: false };
    const wrapStore = (store: FactStore): FactStore => dyingAfterPiece(store, killing);
    const start = () => startFederatedNode({ name: 'a', ...world, folder, keyInFile: true, wrapStore });
    let a = await start();
    const reader = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
    await declareBoth(a, reader);
    await sayMany(a, FACTS);
    const cursor = (await drain(a, reader)).cursors.at(-1) as string;
    a = await rotate(a, start);
    const current = await currentKey(a);
    const signed = async () => (await proofsOf(a)).filter(({ key_id: keyId }) => keyId === current).length;
    expect(await signed()).to.equal(0);
    killing.isArmed = true;
    await comesTrue(async () => {
      await world.clock.advance(STEP_MS);
      return killing.isDead;
    });
    expect(await signed()).to.be.within(1, FACTS - 1);
    await a.stop();

    Object.assign(killing, { isArmed: false, isDead: false });
    a = await start();
    await endLeases(a.kernel.get(FactStore));
    await comesTrue(async () => {
      await world.clock.advance(STEP_MS);
      return (await signed()) === FACTS;
    });
    const again = (await drain(a, reader, { from: cursor })).facts;
    expect(again).to.have.length(FACTS);
    expect(new Set(again.map(({ origin_proof: proof }) => proof?.key_id))).to.deep.equal(new Set([current]));
    await a.stop();
    await reader.stop();
  });
});
