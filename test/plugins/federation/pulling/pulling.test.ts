import { expect } from 'chai';
import { FactStore } from '../../../../ports/ports.ts';
import { createLoopbackNetwork, type LoopbackNetwork } from '../../../fakes/loopback-network.ts';
import { createManualClock, type ManualClock } from '../../../fakes/manual-clock.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';
import { createStand, type IngestStand, peerFact, standPlugin, standProof } from '../ingest-stand.ts';
import { reply, type ScriptedPeer, startScriptedPeer } from './scripted-peer.ts';

const INTERVAL_MS = 30_000;

forEachStore('Pulls from peers', () => {
  let clock: ManualClock;
  let network: LoopbackNetwork;
  let node: TestNode;
  let stand: IngestStand;
  let peer: ScriptedPeer;
  let key: string;

  const start = async (settings: Record<string, unknown> = {}) => {
    clock = createManualClock();
    network = createLoopbackNetwork();
    stand = createStand();
    peer = await startScriptedPeer(network);
    stand.pulled = [peer.peering];
    node = await startTestNode({
      clock,
      network,
      plugins: ['keys', 'audit', 'facts', 'conflicts', standPlugin(stand)],
      settings: { federation: { enabled: true, ...settings } },
    });
    key = await node.addKey({ permissions: ['read', 'write', 'admin', 'audit.read'] });
  };
  beforeEach(() => start());
  afterEach(() => node.stop());

  const count = async (): Promise<number> =>
    (await node.request('GET', '/v1/facts?source=agent:of-p&limit=1&include_contradicted=true', { key })).body.total;
  const soon = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    await clock.advance(1_000);
    await comesTrue(async () => holds());
  };
  const rows = (): Promise<Record<string, unknown>[]> =>
    node.kernel.get(FactStore).read(async (snapshot) => snapshot.table('federation_pulls'));
  /** Nothing is under way, and nothing is due. */
  const settled = () =>
    comesTrue(async () => {
      const waits = (row: Record<string, unknown>): boolean =>
        Number(row['lease_until_ms']) === 0 && Number(row['due_ms']) > clock.nowMs();
      const found = await rows();
      return found.length > 0 && found.every(waits);
    });
  const interval = async () => {
    await settled();
    await clock.advance(INTERVAL_MS + 1_000);
    await settled();
  };

  it('bring everything, page by page, and go on where they were', async () => {
    peer.feed.push(...Array.from({ length: 1_203 }, (_, at) => peerFact(at)));
    await soon(async () => (await count()) === 1_203);
    await settled();
    expect(peer.pulls.map(({ cursor, limit }) => [cursor, limit])).to.deep.equal([
      [null, 500],
      ['1499.0', 500],
      ['1999.0', 500],
    ]);
    expect(peer.pulls[0]?.token).to.equal('Bearer for svc://p1.test: public');
    peer.feed.push(peerFact(5_000));
    await interval();
    expect(await count()).to.equal(1_204);
    expect(peer.pulls.at(-1)?.cursor).to.equal('2202.0');
  });

  it('cost an idle peer one request an interval', async () => {
    peer.feed.push(peerFact(1));
    await soon(async () => (await count()) === 1);
    await settled();
    const before = peer.pulls.length;
    for (let time = 0; time < 4; time += 1) await interval();
    expect(peer.pulls.length - before).to.be.within(3, 4);
  });

  it('lose only the item that is broken', async () => {
    const sound = JSON.stringify(peerFact(1));
    const broken = [
      '{"id":"x","id":"y"}',
      '{"a":]}',
      '7',
      `{"deep":${'['.repeat(100)}${']'.repeat(100)}}`,
      '"\\ud800"',
      '{"n":01}',
    ];
    peer.answer = () =>
      reply(`{"facts":[${[...broken, sound].join(' ,')}],"cursor":"1000.0","has_more":false,"epoch":"first"}`);
    await soon(async () => (await count()) === 1);
    await settled();
    expect(stand.rejections.map(({ detail }) => detail?.['error'])).to.deep.equal(broken.map(() => 'invalid_fact'));
    expect((await rows())[0]?.['cursor']).to.equal('1000.0');
  });

  const PAGES: readonly (readonly [string, () => unknown])[] = [
    ['no JSON', () => '<html>'],
    ['half a page', () => '{"facts":['],
    ['a list', () => []],
    ['no facts', () => ({ cursor: '1.0', has_more: false })],
    ['facts that are no list', () => ({ facts: {}, cursor: '1.0', has_more: false })],
    ['more facts than asked for', () => ({ facts: Array.from({ length: 501 }, (_, at) => peerFact(at)) })],
    ['brackets without end', () => `{"facts":[${'['.repeat(5_000)}`],
  ];

  it('keep their cursor when the page is no page, and try again later and later', async () => {
    let asked = 0;
    for (const [what, page] of PAGES) {
      peer.answer = () => reply(page() as string);
      asked = peer.pulls.length;
      await comesTrue(async () => {
        await clock.advance(10_000);
        return peer.pulls.length > asked;
      });
      await settled();
      const [row] = await rows();
      expect(row?.['cursor'], what).to.equal(null);
      expect(row?.['last_error'], what).to.match(/^the peer sent/);
    }
    expect(Number((await rows())[0]?.['failures'])).to.be.at.least(PAGES.length);
    expect(await count()).to.equal(0);
    peer.answer = (seen) => reply(peer.page(seen));
    peer.feed.push(peerFact(1));
    await comesTrue(async () => {
      await clock.advance(60_000);
      return (await count()) === 1;
    });
    await settled();
    const [row] = await rows();
    expect([Number(row?.['failures']), row?.['last_error']]).to.deep.equal([0, null]);
  });

  it('do as a peer wishes that asks to wait', async () => {
    peer.answer = () => reply({}, 429, { 'Retry-After': '120' });
    await soon(() => peer.pulls.length === 1);
    await settled();
    await clock.advance(90_000);
    await settled();
    expect(peer.pulls.length).to.equal(1);
    await soon(async () => {
      await clock.advance(20_000);
      return peer.pulls.length === 2;
    });
    await settled();
  });

  it('take no cursor that is none, goes back or lies too far ahead', async () => {
    peer.feed.push(peerFact(1));
    await soon(async () => (await count()) === 1);
    await settled();
    const cursors = ['9999999999999.0', 'x', 7, {}, () => `${clock.nowMs() + 400_000}.0`, '1000.0', '-1.0'];
    for (const [at, cursor] of cursors.entries()) {
      peer.answer = () =>
        reply({
          facts: [peerFact(10 + at)],
          cursor: typeof cursor === 'function' ? cursor() : cursor,
          has_more: true,
          epoch: 'first',
        });
      const before = peer.pulls.length;
      await interval();
      expect(peer.pulls.length - before, `${cursor}: has_more without progress waits`).to.equal(1);
      expect((await rows())[0]?.['cursor']).to.equal('1000.0');
    }
    expect(await count(), 'what came with them is stored').to.equal(1 + cursors.length);
  });

  it('begin anew when the peer has another history, once a turn', async () => {
    peer.feed.push(peerFact(1), peerFact(2));
    await soon(async () => (await count()) === 2);
    await settled();
    peer.epoch = 'second';
    peer.feed.splice(0, 2, peerFact(3));
    await interval();
    expect(peer.pulls.slice(-2).map(({ cursor }) => cursor)).to.deep.equal(['1001.0', null]);
    expect(await count()).to.equal(3);
    let number = 0;
    peer.answer = (seen) => reply({ ...peer.page(seen), epoch: `other-${++number}`, has_more: true });
    const before = peer.pulls.length;
    await interval();
    expect(peer.pulls.length - before).to.be.at.most(3);
  });

  it('begin anew when the feed of the peer ends before what it has shown', async () => {
    peer.feed.push(peerFact(1), peerFact(2));
    await soon(async () => (await count()) === 2);
    await settled();
    peer.feed.splice(0, 2, peerFact(3));
    await interval();
    await interval();
    expect(await count()).to.equal(3);
  });

  it('read the last millisecond again from peers without an epoch', async () => {
    peer.epoch = undefined;
    peer.feed.push(peerFact(1));
    peer.answer = (seen) => reply({ ...peer.page(seen), cursor: '1000.7' });
    await soon(async () => (await count()) === 1);
    await interval();
    expect(peer.pulls.at(-1)?.cursor).to.equal('1000.0');
    expect((await rows())[0]?.['cursor']).to.equal('1000.7');
  });

  it('end a feed without end, and let a peer that hangs keep nobody', async () => {
    let at = 0;
    peer.answer = () => reply({ facts: [], cursor: `${2_000 + ++at}.0`, has_more: true, epoch: 'first' });
    const hanging = await startScriptedPeer(network, 2);
    hanging.answer = () => new Promise(() => {});
    const sound = await startScriptedPeer(network, 3);
    sound.feed.push(peerFact(1));
    stand.pulled = [peer.peering, hanging.peering, sound.peering];
    await soon(async () => (await count()) === 1 && at === 50);
    expect(hanging.pulls).to.have.lengthOf(1);
    await clock.advance(5_000);
    expect(at, 'the next turn is an interval away').to.equal(50);
  });

  it('set facts aside whose stamp lies ahead, and store them when their time comes', async () => {
    const early = peerFact(1, { hlc: `${clock.nowMs() + 400_000}.0` });
    peer.feed.push(early, peerFact(2));
    await soon(async () => (await count()) === 1);
    await settled();
    expect((await rows())[0]?.['cursor']).to.equal('1001.0');
    expect(stand.rejections.map(({ event, detail }) => [event.id, detail?.['error']])).to.deep.equal([
      ['peer_hlc_anomaly', 'hlc_skew'],
    ]);
    for (let time = 0; time < 5 && (await count()) < 2; time += 1) await interval();
    expect(await count()).to.equal(2);
    expect(stand.rejections, 'told once').to.have.lengthOf(1);
    const waiting = await node.kernel.get(FactStore).read((snapshot) => snapshot.table('federation_parked'));
    expect(waiting).to.deep.equal([]);
  });

  it('ask for newer keys where a signature is of a key that is not known, and set aside what stays so', async () => {
    stand.verdicts.set('early', 'unknown-key').set('late', 'unknown-key');
    stand.onRefresh = () => stand.verdicts.set('early', 'verified');
    peer.feed.push(
      peerFact(1, { origin_proof: standProof('early') }),
      peerFact(2, { origin_proof: standProof('late') }),
    );
    await soon(async () => (await count()) === 1);
    await settled();
    expect(stand.refreshed).to.deep.equal(['svc://p1.test']);
    stand.verdicts.set('late', 'verified');
    for (let time = 0; time < 5 && (await count()) < 2; time += 1) await interval();
    expect(await count()).to.equal(2);
  });

  it('begin anew when the grant has changed, and store nothing of an older one', async () => {
    peer.feed.push(peerFact(1));
    await soon(async () => (await count()) === 1);
    await settled();
    stand.pulled = [{ ...peer.peering, grantVersion: 2 }];
    peer.feed.push(peerFact(2));
    const before = peer.pulls.length;
    await interval();
    expect(peer.pulls[before]?.cursor).to.equal(null);
    expect(await count()).to.equal(2);
    peer.feed.push(peerFact(3));
    peer.answer = (seen) => {
      stand.pulled = [];
      stand.storedPeering = { ...peer.peering, status: 'revoked' };
      return reply(peer.page(seen));
    };
    await clock.advance(INTERVAL_MS + 1_000);
    await comesTrue(async () => peer.pulls.at(-1)?.cursor === '1001.0' && stand.pulled.length === 0);
    await clock.advance(1_000);
    expect(await count()).to.equal(2);
  });

  it('pause for a peer that brings mostly invalid facts', async () => {
    peer.feed.push(...Array.from({ length: 200 }, (_, at) => peerFact(at, { entity: ' blank ' })));
    await soon(() => stand.recorded.length === 1);
    expect(stand.recorded[0]?.event.id).to.equal('peer_quarantined');
    await settled();
    const before = peer.pulls.length;
    peer.feed.push(peerFact(1_000));
    for (let time = 0; time < 5; time += 1) await interval();
    expect(peer.pulls.length, 'nothing is asked within the hour').to.equal(before);
    await clock.advance(3_600_000);
    await comesTrue(async () => {
      await clock.advance(1_000);
      return (await count()) === 1;
    });
  });

  it('pause for the day when a peer has brought what it may', async () => {
    await node.stop();
    await start({ maxFactsPerDay: 3 });
    peer.feed.push(...Array.from({ length: 5 }, (_, at) => peerFact(at)));
    await soon(async () => (await count()) === 3);
    for (let time = 0; time < 3; time += 1) await interval();
    expect(await count()).to.equal(3);
    await clock.advance(24 * 3_600_000);
    await comesTrue(async () => {
      await clock.advance(1_000);
      return (await count()) === 5;
    });
  });

  it('are made while federation is on', async () => {
    await node.stop();
    await start({ enabled: false });
    await clock.advance(INTERVAL_MS);
    expect(peer.pulls).to.deep.equal([]);
  });
});
