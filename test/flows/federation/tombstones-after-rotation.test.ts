import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { canonicalJson, encodeBase64Url } from '../../../kernel/internal-api.ts';
import { SUPPRESSION_CHANGED } from '../../../kernel/plugin-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { endLeases } from '../../kit/end-leases.ts';
import { dyingAfterPiece, type Killing } from '../../kit/federation/dying-store.ts';
import { createWorld, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { createPeerIdentity, type Document, type PeerIdentity } from '../../kit/federation/peer-identity.ts';
import { declareBoth, has, peerUp, pullUntil, push } from '../../kit/federation/peering-steps.ts';
import { currentKey, rotate } from '../../kit/federation/rotate-node.ts';
import { signedTombstone } from '../../kit/federation/signed-tombstone.ts';
import { jsonAnswer, startTestPeer } from '../../kit/federation/test-peer.ts';
import { capability, follow } from '../../kit/federation/tombstone-steps.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const MINUTE_MS = 60_000;
/**
 * The step of the test clock, in milliseconds. It is shorter than the lease of a process, which must not expire while
 * the process signs.
 */
const STEP_MS = 5_000;
/** The number of tombstones: more than one transaction signs again. */
const TOMBSTONES = 110;
/** The number of issuers that the node reads in one statement. */
const UNKNOWN_ISSUERS = 256;
const SETTINGS = { tombstones: { enabled: true } };

const idOfTombstone = (n: number): string => `tomb_00000000-0000-4000-8000-00000000000${n}`;

/** Returns the metadata after a rotation, with a new key that the former one vouches for. */
const withSuccessor = (metadata: Document, former: PeerIdentity, { publicKey, keyId }: PeerIdentity): Document => {
  const from = '2026-03-01T00:00:00.000Z';
  const key = { key_id: keyId, public_key: publicKey, valid_from: from };
  const statement = Buffer.from(canonicalJson({ v: 1, node_id: former.nodeId, ...key }));
  const signature = encodeBase64Url(former.signer.sign(statement));
  const [first] = metadata['federation_keys'] as readonly Document[];
  return {
    ...metadata,
    federation_pubkey: publicKey,
    federation_keys: [
      { ...first, valid_until: from },
      { ...key, valid_until: null, signed_by: { key_id: former.keyId, signature } },
    ],
  };
};

forEachStore('Tombstones of a node whose key was rotated', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rotated-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('are each signed again exactly once, even if the node is killed in between', async function () {
    this.timeout(300_000);
    const world = createWorld();
    const killing: Killing = { kind: SUPPRESSION_CHANGED.id, isArmed: false, isDead: false };
    const wrapStore = (store: FactStore): FactStore => dyingAfterPiece(store, killing);
    const start = () =>
      startFederatedNode({ name: 'a', ...world, folder, keyInFile: true, wrapStore, settings: SETTINGS });
    let a = await start();
    const reader = await startFederatedNode({ name: 'r', ...world });
    await peerUp(a, reader);
    const { entity } = (await a.say({ entity: 'user:gone' })) as Document;
    expect((await a.request('POST', '/v1/tombstones', { key: a.key, body: { entity_uri: entity } })).status).to.equal(
      201,
    );
    const markers = () => a.kernel.get(FactStore).table('tombstones_markers');
    const [marker] = await markers();
    const copies = Array.from({ length: TOMBSTONES - 1 }, (_, n) => ({
      ...marker,
      tombstone_id: `tomb_${randomUUID()}`,
      feed_wall: Number(marker.feed_wall) - n - 1,
    }));
    await a.kernel
      .get(FactStore)
      .write('default', (transaction) => transaction.insertRows('tombstones_markers', copies));
    const ids = (await markers()).map((row: Document) => String(row['tombstone_id'])).sort();
    const token = await capability(a, reader);
    const served = async (since: string | null) => {
      const found: { readonly id: string; readonly key_id: string }[] = [];
      for (let cursor = since; ; ) {
        const reply = await a.request('GET', `/v1/federation/tombstones${cursor === null ? '' : `?since=${cursor}`}`, {
          key: reader.identity.token(a.nodeId),
          headers: { 'X-Svc-Capability': token },
        });
        expect(reply.status, reply.text).to.equal(200);
        found.push(...reply.body.tombstones);
        cursor = reply.body.cursor;
        if (!reply.body.has_more) return { found, cursor };
      }
    };
    const { found: before, cursor } = await served(null);
    expect(before.map(({ id }) => id).sort()).to.deep.equal(ids);
    await reader.stop();
    a = await rotate(a, start);
    const current = await currentKey(a);
    const signed = async () => (await markers().where({ key_id: current })).length;
    expect(await signed()).to.equal(0);
    killing.isArmed = true;
    await comesTrue(async () => {
      await world.clock.advance(STEP_MS);
      return killing.isDead;
    });
    expect(await signed()).to.be.within(1, TOMBSTONES - 1);
    await a.stop();

    Object.assign(killing, { isArmed: false, isDead: false });
    a = await start();
    await endLeases(a.kernel.get(FactStore));
    await comesTrue(async () => {
      await world.clock.advance(STEP_MS);
      return (await signed()) === TOMBSTONES;
    });
    const { found: again } = await served(cursor);
    expect(again.map(({ id }) => id).sort()).to.deep.equal(ids);
    expect(new Set(again.map(({ key_id: keyId }) => keyId))).to.deep.equal(new Set([current]));
    expect((await a.get('/v1/facts?entity=user:gone')).body.facts).to.deep.equal([]);
    await a.stop();
  });

  it("wait behind tombstones of unknown issuers if a relay sends them before the issuer's keys can be fetched", async () => {
    const world = createWorld();
    const nowMs = (): number => world.clock.nowMs();
    const node = await startFederatedNode({ name: 'n', ...world, settings: SETTINGS });
    const origin = await startTestPeer({ ...world, nowMs, host: 'origin.test' });
    const relay = await startTestPeer({ ...world, nowMs, host: 'relay.test' });
    for (const peer of [origin, relay]) await declareBoth(node, peer);
    const said = origin.fact({ entity: 'user:late' });
    const kept = origin.fact({ entity: 'user:kept' });
    await push(node, origin, [said, kept]);
    const successor = createPeerIdentity(origin.nodeId, nowMs, 'the successor');
    const forger = createPeerIdentity(origin.nodeId, nowMs, 'a forger');
    const known = origin.metadata;
    origin.answerMetadata = () => jsonAnswer({}, 503);
    relay.tombstones.push(
      signedTombstone(forger, nowMs(), { id: idOfTombstone(1), entity_uri: kept.entity }),
      signedTombstone(successor, nowMs(), { id: idOfTombstone(2), entity_uri: said.entity }),
    );
    await follow(node, relay.nodeId, 'any');
    const store = node.kernel.get(FactStore);
    const parked = () => store.table('tombstones_parked').where({ issuer: origin.nodeId });
    const waiting = () => parked().select('key_id');
    await pullUntil(node, async () => (await waiting()).length === 2);
    const [row] = await parked();
    const others = Array.from({ length: UNKNOWN_ISSUERS }, (_, n) => ({ ...row, issuer: `svc://a${n}.test` }));
    await store.write('default', (transaction) => transaction.insertRows('tombstones_parked', others));
    // Several further attempts leave both where they are.
    for (let passed = 0; passed < 3; passed += 1) await world.clock.advance(MINUTE_MS);
    expect(await waiting()).to.have.length(2);
    expect(await has(node, said.id)).to.equal(true);

    origin.metadata = withSuccessor(known, origin, successor);
    origin.answerMetadata = () => jsonAnswer(origin.metadata);
    await pullUntil(node, async () => !(await has(node, said.id)));
    expect(await has(node, kept.id)).to.equal(true);
    expect(await waiting()).to.deep.equal([{ key_id: forger.keyId }]);
    const { total } = (await node.get('/v1/auth/audit?event_type=tombstone_federation_rejected')).body;
    expect(total).to.equal(0);
    for (const each of [node, origin, relay]) await each.stop();
  });
});
