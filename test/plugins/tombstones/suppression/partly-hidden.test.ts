import { expect } from 'chai';
import { comesTrue } from '../../../kit/comes-true.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../../kit/federation/federated-node.ts';
import { declareBoth, push } from '../../../kit/federation/peering-steps.ts';
import { signedTombstone } from '../../../kit/federation/signed-tombstone.ts';
import { startTestPeer, type TestPeer } from '../../../kit/federation/test-peer.ts';
import { capability, follow } from '../../../kit/federation/tombstone-steps.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';

const ENTITY = 'user:gone';
const EVERYTHING = 'include_contradicted=true&include_expired=true&include_retracted=true&limit=500';
const READS = [
  `/v1/facts?${EVERYTHING}`,
  `/v1/facts?entity=${ENTITY}`,
  '/v1/facts?relation=svc:conflict:status',
  '/v1/facts?relation=svc:conflict:between',
  '/v1/facts?relation=svc:conflict:note',
  '/v1/facts?relation=svc:resolves',
  '/v1/conflicts',
  '/v1/conflicts?status=all',
  `/v1/cards/${ENTITY}?scope=public`,
  `/v1/history/${ENTITY}`,
  '/v1/timeline',
  '/v1/lint',
  '/v1/synthesis',
];
const POLL_MS = 20_000;
const LATER_MS = Date.UTC(2026, 2, 2, 21);

/** A node whose peer hides its own facts about `ENTITY`, and which may have such a fact. */
interface PeeredNode {
  readonly node: FederatedNode;
  readonly reader: string;
  /** Says what the reader sees. */
  say(v: string, members?: object): Promise<string>;
  /** Lets the peer say what its tombstone hides, if the node is to have it. */
  sayHidden(v: string): Promise<void>;
  bury(): Promise<void>;
}

type Story = (on: PeeredNode) => Promise<void>;

const STORIES: Readonly<Record<string, Story>> = {
  'a rival that came before the tombstone': async ({ say, sayHidden, bury }) => {
    await say('shown');
    await sayHidden('hidden');
    await bury();
  },
  'a rival that comes after the tombstone': async ({ say, sayHidden, bury }) => {
    await bury();
    await say('shown');
    await sayHidden('hidden');
  },
  'a rival that came between two visible ones': async ({ say, sayHidden, bury }) => {
    await bury();
    await say('shown');
    await sayHidden('hidden');
    await say('shown too');
  },
  'a rival that came before two visible ones': async ({ say, sayHidden, bury }) => {
    await bury();
    await sayHidden('hidden');
    await say('shown');
    await say('shown too');
    await say('and a third');
  },
  'a rival of two visible facts of which one replaces the other': async ({ say, sayHidden, bury }) => {
    await bury();
    const shown = await say('shown');
    await sayHidden('hidden');
    await say('shown too', { replaces: [shown] });
  },
  'a rival of facts that a retraction has ended': async ({ say, sayHidden, bury }) => {
    await bury();
    await say('shown');
    await sayHidden('hidden');
    await say('shown too');
    await say('none', { confidence: 0 });
    await say('later');
    await say('and a rival');
  },
  'a rival that came before the visible fact': async ({ say, sayHidden, bury }) => {
    await bury();
    await sayHidden('hidden');
    await say('shown');
  },
};

forEachStore('A reader looks for a fact behind a tombstone of a peer by the facts beside it (I13)', () => {
  let node: FederatedNode | undefined;
  let peer: TestPeer | undefined;
  const stop = async () => {
    await peer?.stop();
    await node?.stop();
    [node, peer] = [undefined, undefined];
  };
  afterEach(stop);

  const start = async (hasHidden: boolean): Promise<PeeredNode> => {
    const world = createWorld();
    const { clock } = world;
    const started = await startFederatedNode({ name: 'a', ...world, env: { SVC_TOMBSTONES_ENABLED: 'true' } });
    node = started;
    const sender = await startTestPeer({ ...world, nowMs: () => clock.nowMs() });
    peer = sender;
    await declareBoth(started, sender);
    const reader = await started.addKey({ entityUri: 'agent:reader' });
    const member = { entity: ENTITY, relation: 'memory:role' };
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
      async sayHidden(v) {
        await clock.advance(1_000);
        if (!hasHidden) return;
        const { body } = await push(started, sender, [sender.fact({ ...member, value: { type: 'string', v } })]);
        expect(body.accepted).to.equal(1);
      },
      async bury() {
        await follow(started, sender.nodeId, await capability(started, started));
        sender.tombstones.push(signedTombstone(sender, clock.nowMs(), { entity_uri: ENTITY }));
        await comesTrue(async () => {
          await clock.advance(POLL_MS);
          return (await started.get('/v1/tombstones')).body.tombstones.length > 0;
        });
        // The number of polls must not differ between the nodes.
        clock.setNowMs(LATER_MS);
      },
    };
  };

  /** Returns the replies to the reader, without ids and times. */
  const told = async (hasHidden: boolean, story: Story): Promise<readonly string[]> => {
    const on = await start(hasHidden);
    await story(on);
    const replies: string[] = [];
    for (const target of READS) {
      const { status, text } = await on.node.request('GET', target, { key: on.reader });
      replies.push(`${target} ${status} ${text}`);
    }
    await stop();
    return replies.map((reply) =>
      reply
        .replaceAll(/sha256:[0-9a-f]{64}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
        .replaceAll(/"(?:hlc|cursor|timestamp|(?!detected)[a-z]+_at|[a-z]+_timestamp)":"[^"]*"/g, '<time>')
        .replaceAll(/"(?:age_seconds|since|until)":[\d.]+/g, '<age>'),
    );
  };

  for (const [title, story] of Object.entries(STORIES)) {
    it(`and finds no trace of ${title}`, async () => {
      expect(await told(true, story)).to.deep.equal(await told(false, story));
    });
  }
});
