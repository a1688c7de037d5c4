import { expect } from 'chai';
import { FactStore } from '../../../../ports/ports.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { peerFact, standProof } from '../ingest-stand.ts';
import { INTERVAL_MS, type PullingNode, startPulling } from './pulling-node.ts';
import { reply, type ScriptedPeer } from './scripted-peer.ts';

const HOUR_MS = 3_600_000;

forEachStore('pulls from peers', () => {
  let pulling: PullingNode;
  let clock: PullingNode['clock'];
  let stand: PullingNode['stand'];
  let peer: ScriptedPeer;

  const start = async (settings: Record<string, unknown> = {}) => {
    pulling = await startPulling(settings);
    ({ clock, stand, peer } = pulling);
  };
  beforeEach(() => start());
  afterEach(() => pulling.node.stop());

  const count = () => pulling.count();
  const rows = (table?: string) => pulling.rows(table);
  const settled = () => pulling.settled();
  const soon: PullingNode['soon'] = (holds) => pulling.soon(holds);
  const interval = () => pulling.interval();

  it('store all facts page by page, and resume at their cursor', async () => {
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

  it('send an idle peer one request per interval', async () => {
    peer.feed.push(peerFact(1));
    await soon(async () => (await count()) === 1);
    await settled();
    const before = peer.pulls.length;
    for (let time = 0; time < 4; time += 1) await interval();
    expect(peer.pulls.length - before).to.be.within(3, 4);
  });

  it('restart if the feed of the peer ends before their cursor', async () => {
    peer.feed.push(peerFact(1), peerFact(2));
    await soon(async () => (await count()) === 2);
    await settled();
    peer.feed.splice(0, 2, peerFact(3));
    await interval();
    await interval();
    expect(await count()).to.equal(3);
  });

  it('go on when a process that died had claimed them by a clock that was a day ahead', async () => {
    peer.feed.push(peerFact(1));
    await soon(async () => (await count()) === 1);
    await settled();
    peer.feed.push(peerFact(2));
    await pulling.node.kernel.get(FactStore).write('default', async (transaction) => {
      const untilMs = (await transaction.databaseMs()) + 86_400_000;
      await transaction.table('federation_pulls').update({ lease_until_ms: untilMs });
    });
    await pulling.clock.advance(INTERVAL_MS + 1_000);
    await comesTrue(async () => (await count()) === 2);
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

  it('set aside facts with a stamp in the future, and store them when they are due', async () => {
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
    const waiting = await rows('federation_parked');
    expect(waiting).to.deep.equal([]);
  });

  it('fetch newer keys for an unknown signing key, and set aside facts whose key stays unknown', async () => {
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

  it('retry facts that were set aside before the clock was set back', async () => {
    stand.verdicts.set('late', 'unknown-key');
    clock.setNowMs(clock.nowMs() + 365 * 24 * 3_600_000);
    peer.feed.push(peerFact(1, { origin_proof: standProof('late') }));
    await soon(async () => (await rows('federation_parked')).length === 1);
    await settled();
    stand.verdicts.set('late', 'verified');
    clock.setNowMs(clock.nowMs() - 365 * 24 * 3_600_000);
    await comesTrue(async () => {
      await clock.advance(1_000);
      return (await count()) === 1;
    });
    const waiting = await rows('federation_parked');
    expect(waiting).to.deep.equal([]);
  });

  it('drop facts set aside under an older grant, and restart at once under the new one', async () => {
    peer.feed.push(peerFact(1, { hlc: `${clock.nowMs() + 400_000}.0` }));
    await soon(async () => (await rows('federation_parked')).length === 1);
    await settled();
    peer.feed.splice(0, 1, peerFact(2));
    peer.answer = (seen) => {
      // The grant changes while the peer replies.
      stand.pulled = [{ ...peer.peering, grantVersion: 2 }];
      peer.answer = (next) => reply(peer.page(next));
      return reply(peer.page(seen));
    };
    await clock.advance(INTERVAL_MS + 1_000);
    await comesTrue(async () => (await count()) === 1);
    await settled();
    const waiting = await rows('federation_parked');
    expect([waiting, Number((await rows())[0]?.['grant_version'])]).to.deep.equal([[], 2]);
  });

  it('restart after a change of the grant, and store no fact received under the older one', async () => {
    peer.feed.push(peerFact(1));
    await soon(async () => (await count()) === 1);
    await settled();
    stand.pulled = [{ ...peer.peering, grantVersion: 2 }];
    peer.feed.push(peerFact(2));
    const before = peer.pulls.length;
    // A turn that listed its peers before the change may pull once more from the former cursor. Its page is dropped.
    await comesTrue(async () => {
      await interval();
      return peer.pulls.slice(before).some(({ cursor }) => cursor === null);
    });
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

  it('restart after the restore of a backup from the middle of the first pull, so that lost parked facts come again', async () => {
    const early = peerFact(0, { hlc: `${clock.nowMs() + 10 * HOUR_MS}.0` });
    peer.feed.push(early, ...Array.from({ length: 599 }, (_, at) => peerFact(at + 1)));
    peer.answer = (seen) => (seen.cursor === null ? reply(peer.page(seen)) : reply({}, 503));
    await soon(async () => (await count()) === 499);
    await comesTrue(async () => Number((await rows())[0]?.['failures']) > 0);
    expect(await rows('federation_parked')).to.have.lengthOf(1);
    await pulling.node.kernel.get(FactStore).write('default', async (transaction) => {
      await transaction.table('federation_parked').delete();
      await transaction.saveClock(await transaction.lockClock(), 'of a restored store');
    });
    peer.answer = (seen) => reply(peer.page(seen));
    await comesTrue(async () => {
      await clock.advance(INTERVAL_MS);
      return (await count()) === 599;
    });
    expect(await rows('federation_parked')).to.have.lengthOf(1);
  });

  it('run only while federation is on', async () => {
    await pulling.node.stop();
    await start({ enabled: false });
    await clock.advance(INTERVAL_MS);
    expect(peer.pulls).to.deep.equal([]);
  });
});
