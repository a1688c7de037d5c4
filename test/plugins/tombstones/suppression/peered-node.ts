import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { FactStore } from '../../../../ports/ports.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../../kit/federation/federated-node.ts';
import { declareBoth, push } from '../../../kit/federation/peering-steps.ts';
import { signedRevocation, signedTombstone } from '../../../kit/federation/signed-tombstone.ts';
import { startTestPeer } from '../../../kit/federation/test-peer.ts';
import { capability, follow } from '../../../kit/federation/tombstone-steps.ts';
import { currentStore } from '../../../kit/for-each-store.ts';
import { scratchPlace } from '../../../kit/scratch-place.ts';
import { placeTestStore } from '../../../kit/test-store.ts';

export const ENTITY = 'user:gone';
/** The plugins that say something about facts to a reader, and those that they need. */
const PLUGINS = [
  ...['audit', 'capability-tokens', 'cards', 'conflicts', 'facts', 'fact-chain', 'federation', 'jobs', 'keys', 'lint'],
  ...['gardens', 'node-info', 'relations', 'source-trust', 'subscriptions', 'synthesis', 'time-travel', 'tombstones'],
];
const PUSHED_AT_ONCE = 100;
const POLL_MS = 20_000;
const LATER_MS = Date.UTC(2026, 2, 2, 21);
const LATER_STILL_MS = 3_600_000;

/** A node whose peer hides its own facts about `ENTITY`, and which may have such a fact. */
export interface PeeredNode {
  readonly node: FederatedNode;
  readonly reader: string;
  /** Says what the reader sees. */
  say(v: string, members?: object): Promise<string>;
  /** Lets the peer say what its tombstone hides, if the node is to have it. */
  sayHidden(v: string, members?: object): Promise<void>;
  /** Lets the peer say so many different values, if the node is to have them. */
  crowdHidden(count: number): Promise<void>;
  /** Settles the only conflict of the reader. */
  settle(v: string): Promise<void>;
  bury(): Promise<void>;
  /** Lets the peer hide the same facts by a second tombstone. */
  buryAgain(): Promise<void>;
  /** Lets the peer revoke its tombstone. */
  unbury(): Promise<void>;
  /** Subscribes the owner of the node to the entity. Returns what reads the type of each event, and its value. */
  subscribe(): Promise<() => Promise<readonly string[]>>;
  /** Starts the node again, with tombstones that hide nothing. */
  startShowing(): Promise<FederatedNode>;
  stop(): Promise<void>;
}

interface SeenEvent {
  readonly event_type: string;
  readonly payload: { readonly value: { readonly v: string } };
}

/** Returns the tombstones whose effect on conflicts is not complete. */
const unfollowedIn = (store: FactStore): Promise<readonly unknown[]> =>
  store.read((snapshot) => snapshot.table('tombstones_markers').whereNotNull('followed_number'));

export const startPeeredNode = async (hasHidden: boolean): Promise<PeeredNode> => {
  const world = createWorld();
  const { clock } = world;
  const folder = await mkdtemp(join(await scratchPlace(), 'peered-'));
  const start = (isHiding: boolean): Promise<FederatedNode> =>
    startFederatedNode({
      name: 'a',
      ...world,
      folder,
      plugins: PLUGINS,
      // The peer pushes its facts, and has none to pull.
      env: { SVC_TOMBSTONES_ENABLED: String(isHiding), SVC_FEDERATION_PULL_INTERVAL_S: String(POLL_MS / 1_000) },
    });
  const started = await start(true);
  let showing: FederatedNode | undefined;
  const sender = await startTestPeer({ ...world, nowMs: () => clock.nowMs() });
  await declareBoth(started, sender);
  const reader = await started.addKey({ entityUri: 'agent:reader' });
  const member = { entity: ENTITY, relation: 'memory:role' };
  const comes = (holds: () => Promise<boolean>): Promise<void> =>
    comesTrue(async () => {
      await clock.advance(POLL_MS);
      return (await holds()) && (await unfollowedIn(started.kernel.get(FactStore))).length === 0;
    });
  const tombstones = async () => (await started.get('/v1/tombstones')).body;
  return {
    node: started,
    reader,
    async say(v, members = {}) {
      await clock.advance(1_000);
      const body = { ...member, value: { type: 'string', v }, source: 'agent:reader', scope: 'public', ...members };
      const reply = await started.request('POST', '/v1/facts', { key: reader, body });
      expect(reply.status, reply.text).to.equal(201);
      return reply.body.id;
    },
    async sayHidden(v, members = {}) {
      await clock.advance(1_000);
      if (!hasHidden) return;
      const hidden = sender.fact({ ...member, value: { type: 'string', v }, ...members });
      expect((await push(started, sender, [hidden])).body.accepted).to.equal(1);
    },
    async crowdHidden(count) {
      await clock.advance(1_000);
      const said = (n: number) => sender.fact({ ...member, value: { type: 'string', v: `hidden ${n}` } });
      for (let at = 0; hasHidden && at < count; at += PUSHED_AT_ONCE) {
        const facts = Array.from({ length: PUSHED_AT_ONCE }, (_, n) => said(at + n));
        expect((await push(started, sender, facts)).body.accepted).to.equal(PUSHED_AT_ONCE);
      }
    },
    async settle(v) {
      await clock.advance(1_000);
      const list = await started.request('GET', '/v1/conflicts', { key: reader });
      const path = `/v1/conflicts/${list.body.conflicts[0].conflict_id}/resolve`;
      const body = { new_value: { type: 'string', v }, resolution_note: 'so it is' };
      const reply = await started.request('POST', path, { key: reader, body });
      expect(reply.status, reply.text).to.equal(200);
    },
    async bury() {
      await follow(started, sender.nodeId, await capability(started, started));
      sender.tombstones.push(signedTombstone(sender, clock.nowMs(), { entity_uri: ENTITY }));
      await comes(async () => (await tombstones()).tombstones.length > 0);
      // The number of polls must not differ between the nodes.
      clock.setNowMs(LATER_MS);
    },
    async buryAgain() {
      const id = 'tomb_00000000-0000-4000-8000-000000000002';
      sender.tombstones.push(signedTombstone(sender, clock.nowMs(), { id, entity_uri: ENTITY }));
      await comes(async () => (await tombstones()).tombstones.length > 1);
      clock.setNowMs(LATER_MS + LATER_STILL_MS);
    },
    async unbury() {
      const [sent] = sender.tombstones;
      const revocation = signedRevocation(sender, clock.nowMs(), String(sent?.['id']));
      sender.tombstones.push({ ...sent, revocation });
      await comes(async () => (await tombstones()).revocations.length > 0);
    },
    async subscribe() {
      const owner = 'agent:owner-of-a';
      const token = { issuer: owner, subject: owner, verb: 'subscribe', object: ENTITY };
      const issued = await started.request('POST', '/v1/federation/capability-tokens', {
        key: started.key,
        body: token,
      });
      const made = await started.request('POST', '/v1/subscriptions', {
        key: started.key,
        headers: { 'X-Svc-Capability': issued.body.token_json },
        body: { target: ENTITY, on_change: 'webhook', webhook_url: 'https://hook.example/in' },
      });
      expect(made.status, made.text).to.equal(201);
      return async () => {
        const { body } = await started.get(`/v1/subscriptions/${made.body.id}/events?limit=500`);
        expect(body.total).to.equal(body.events.length);
        return body.events.map((event: SeenEvent) => `${event.event_type} ${event.payload.value.v}`);
      };
    },
    async startShowing() {
      await started.stop();
      showing = await start(false);
      await comesTrue(async () => {
        await clock.advance(POLL_MS);
        return (await unfollowedIn(showing?.kernel.get(FactStore) as FactStore)).length === 0;
      });
      return showing;
    },
    async stop() {
      await sender.stop();
      await started.stop();
      await showing?.stop();
      await (await placeTestStore(currentStore(), folder)).remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
