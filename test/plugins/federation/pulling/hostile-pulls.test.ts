import { expect } from 'chai';
import { NodeSelf } from '../../../../kernel/plugin-api.ts';
import { MAX_UNKNOWN_KEYS } from '../../../../plugins/federation/pulling/parked-facts.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { peerFact, standProof } from '../ingest-stand.ts';
import { type PullingNode, startPulling } from './pulling-node.ts';
import { reply, type ScriptedPeer, startScriptedPeer } from './scripted-peer.ts';

forEachStore('pulls from a broken or hostile peer', () => {
  let pulling: PullingNode;
  let clock: PullingNode['clock'];
  let network: PullingNode['network'];
  let stand: PullingNode['stand'];
  let peer: ScriptedPeer;

  const start = async (settings: Record<string, unknown> = {}) => {
    pulling = await startPulling(settings);
    ({ clock, network, stand, peer } = pulling);
  };
  beforeEach(() => start());
  afterEach(() => pulling.node.stop());

  const count = () => pulling.count();
  const rows = (table?: string) => pulling.rows(table);
  const settled = () => pulling.settled();
  const soon: PullingNode['soon'] = (holds) => pulling.soon(holds);
  const interval = () => pulling.interval();

  it('skip only the broken item of a page', async () => {
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
    ['much beside its facts', () => `{"more":[${'0,'.repeat(40_000)}0],"facts":[],"cursor":"1.0"}`],
    ['much after its facts', () => `{"facts":[],"cursor":"1.0","more":[${'0,'.repeat(40_000)}0]}`],
    ['brackets without end', () => `{"facts":[${'['.repeat(5_000)}`],
  ];

  it('keep their cursor after a malformed page, and retry with increasing pauses', async () => {
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

  it('pause as long as the peer requests', async () => {
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

  it('refuse a cursor that is malformed, goes back or lies too far ahead', async () => {
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

  it('restart at most once per round from a peer whose epoch changes', async () => {
    peer.feed.push(peerFact(1), peerFact(2));
    await soon(async () => (await count()) === 2);
    await settled();
    peer.epoch = 'second';
    peer.feed.splice(0, 2, peerFact(3));
    await interval();
    expect(peer.pulls.slice(-2).map(({ cursor }) => cursor)).to.deep.equal(['1001.0', null]);
    expect(await count()).to.equal(3);
    peer.epoch = 'third';
    peer.feed.splice(0, 1, peerFact(4), peerFact(5), peerFact(6));
    await interval();
    expect(peer.pulls.slice(-2).map(({ cursor }) => cursor)).to.deep.equal(['1000.0', null]);
    expect(await count(), 'facts that lie before the old place in the new history').to.equal(6);
    let number = 0;
    peer.answer = (seen) => reply({ ...peer.page(seen), epoch: `other-${++number}`, has_more: true });
    const before = peer.pulls.length;
    await interval();
    expect(peer.pulls.length - before).to.be.at.most(3);
  });

  it('stop at an endless feed, and go on with other peers while one hangs', async () => {
    let at = 0;
    peer.answer = () => reply({ facts: [], cursor: `${2_000 + ++at}.0`, has_more: true, epoch: 'first' });
    const hanging = await startScriptedPeer(network, 2);
    hanging.answer = () => new Promise(() => {});
    const sound = await startScriptedPeer(network, 3);
    sound.feed.push(peerFact(1));
    stand.pulled = [peer.peering, hanging.peering, sound.peering];
    await soon(async () => (await count()) === 1 && at === 21 && hanging.pulls.length === 1);
    expect(hanging.pulls).to.have.lengthOf(1);
    await clock.advance(5_000);
    expect(at, 'the next turn is an interval away').to.equal(21);
  });

  it('pause when a peer always reports another page but sends no new fact', async () => {
    await pulling.node.stop();
    await start({ pullIntervalS: 1 });
    const known = Array.from({ length: 100 }, (_, at) => peerFact(at));
    let page = 0;
    peer.answer = () => reply({ facts: known, cursor: `${2_000 + ++page}.0`, has_more: true, epoch: 'first' });
    await soon(async () => (await count()) === 100);
    await settled();
    const before = peer.pulls.length;
    for (let second = 0; second < 10; second += 1) {
      await clock.advance(1_000);
      await settled();
    }
    expect(peer.pulls.length - before).to.be.at.most(21);
  });

  it('stop at a limit of bytes per round, and continue at once only if facts were new', async () => {
    const filler = 'x'.repeat(30 * 1024 * 1024);
    let at = 0;
    peer.answer = () => {
      at += 1;
      return reply({ facts: [peerFact(at), filler], cursor: `${2_000 + at}.0`, has_more: true, epoch: 'first' });
    };
    await soon(() => at === 3);
    await settled();
    await clock.advance(9_000);
    await settled();
    expect(at).to.equal(3);
    expect(await count()).to.equal(3);
  });

  it('pause after a peer has sent mostly invalid facts', async () => {
    peer.feed.push(...Array.from({ length: 200 }, (_, at) => peerFact(at, { entity: ' blank ' })));
    await soon(() => stand.recorded.length === 1);
    expect(stand.recorded[0]?.event.id).to.equal('peer_quarantined');
    await settled();
    const before = peer.pulls.length;
    peer.feed.push(peerFact(1_000));
    for (let time = 0; time < 5; time += 1) await interval();
    expect(peer.pulls.length, 'nothing is asked within the hour').to.equal(before);
    clock.setNowMs(clock.nowMs() + 3_600_000);
    await comesTrue(async () => {
      await clock.advance(1_000);
      return (await count()) === 1;
    });
  });

  it('continue after facts forged in the name of a third node, and penalise no peer for them', async () => {
    stand.verdicts.set('made up', 'unknown-key').set('wrong', 'invalid');
    const inTheNameOfOthers = (at: number) =>
      peerFact(1 + at, {
        origin_node_id: 'svc://third.test',
        origin_proof: standProof(at % 10 === 0 ? 'wrong' : 'made up'),
      });
    peer.feed.push(...Array.from({ length: MAX_UNKNOWN_KEYS + 1_000 }, (_, at) => inTheNameOfOthers(at)));
    peer.feed.push(peerFact(9_999));
    await soon(async () => (await count()) === 1);
    await settled();
    expect((await rows('federation_parked')).length).to.equal(MAX_UNKNOWN_KEYS);
    expect(stand.recorded).to.deep.equal([]);
  });

  it('penalise only faults that the sender could have known', async () => {
    const { nodeId } = pulling.node.kernel.get(NodeSelf);
    const origin_node_id = 'svc://third.test';
    const passedOn = (at: number) =>
      [
        { origin_node_id: nodeId },
        { origin_node_id, source: nodeId },
        { origin_node_id, relation: 'instruction:manifest' },
      ][at % 3];
    peer.feed.push(...Array.from({ length: 450 }, (_, at) => peerFact(at, passedOn(at))), peerFact(9_999));
    await soon(async () => (await count()) === 1);
    await settled();
    expect(stand.rejections.map(({ detail }) => detail?.['error'])).to.include.members([
      'source_not_owned',
      'reserved_namespace',
    ]);
    expect(stand.recorded).to.deep.equal([]);
    peer.feed.push(...Array.from({ length: 450 }, (_, at) => peerFact(1_000 + at, { source: nodeId })));
    await interval();
    expect(stand.recorded.map(({ event }) => event.id)).to.deep.equal(['peer_quarantined']);
  });

  it('pause no longer than the quarantine period, even if the clock was set back a year', async () => {
    clock.setNowMs(clock.nowMs() + 365 * 24 * 3_600_000);
    peer.feed.push(...Array.from({ length: 200 }, (_, at) => peerFact(at, { entity: ' blank ' })));
    await soon(() => stand.recorded.length === 1);
    await settled();
    peer.feed.push(peerFact(1_000));
    clock.setNowMs(clock.nowMs() - 365 * 24 * 3_600_000);
    await comesTrue(async () => {
      await clock.advance(1_000);
      return (await count()) === 1;
    });
  });

  it('pause for the rest of the day after a peer has reached its daily limit', async () => {
    await pulling.node.stop();
    await start({ maxFactsPerDay: 3 });
    peer.feed.push(...Array.from({ length: 5 }, (_, at) => peerFact(at)));
    await soon(async () => (await count()) === 3);
    for (let time = 0; time < 3; time += 1) await interval();
    expect(await count()).to.equal(3);
    clock.setNowMs(clock.nowMs() + 24 * 3_600_000);
    await comesTrue(async () => {
      await clock.advance(1_000);
      return (await count()) === 5;
    });
  });
});
