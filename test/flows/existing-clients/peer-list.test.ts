import { expect } from 'chai';
import { makePeer, startPeer } from '../examples/prepare.ts';
import { type Stage, startStage } from '../examples/stage.ts';

const STATUSES = ['pending_verification', 'active', 'rejected', 'revoked'];

describe('An existing client that lists peers', () => {
  let stage: Stage;
  before(async function () {
    this.timeout(60_000);
    stage = await startStage();
  });
  after(() => stage?.stop());

  it('4: gets them in an object, each with a status that the client knows', async () => {
    const waiting = await startPeer(stage);
    await stage.ask('POST', '/v1/federation/peers', { body: waiting.declare(stage.identity.nodeId) });
    const active = await makePeer(stage);
    const revoked = await makePeer(stage);
    await stage.ask('DELETE', `/v1/federation/peers/${revoked.peerId}`);
    const { peers, ...others } = await stage.ask('GET', '/v1/federation/peers');
    expect(others).to.deep.equal({});
    const statusOf = (nodeId: string) => peers.find((peer: { node_id: string }) => peer.node_id === nodeId)?.status;
    expect([waiting, active, revoked].map(({ nodeId }) => statusOf(nodeId))).to.deep.equal([
      'pending_verification',
      'active',
      'revoked',
    ]);
    for (const { status } of peers) expect(STATUSES).to.include(status);
  });
});
