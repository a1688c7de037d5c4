import { expect } from 'chai';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { rejection } from '../../../kit/rejection.ts';
import { inTemporaryFolder } from '../../../kit/temporary-folder.ts';
import { NODE_ID, type ServingNode, startServingNode } from '../serving-kit.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

forEachStore('the nonces of peer tokens', () => {
  const nodes: ServingNode[] = [];
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
  });
  const start = async (settings = {}, folder?: string): Promise<ServingNode> => {
    const node = await startServingNode({
      settings: { federation: settings },
      ...(folder !== undefined && { folder }),
    });
    nodes.push(node);
    return node;
  };

  it('are each accepted once, however many requests arrive at the same time', async () => {
    const node = await start();
    const token = node.addPeer('p').token(NODE_ID);
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => node.serving.tokens.accept(token)));
    expect(attempts.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
  });

  it('are shared by all processes on the store, and survive restarts', async () => {
    await inTemporaryFolder(async (folder) => {
      const processes = await Promise.all([start({}, folder), start({}, folder)]);
      const [token] = processes.map((node) => node.addPeer('p').token(NODE_ID));
      const attempts = await Promise.allSettled(
        [...processes, ...processes].map((node) => node.serving.tokens.accept(token as string)),
      );
      expect(attempts.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
      for (const node of nodes.splice(0)) await node.stop();
      const again = await start({}, folder);
      again.addPeer('p');
      expect(await rejection(again.serving.tokens.accept(token as string))).to.include({ code: 'nonce_already_seen' });
      for (const node of nodes.splice(0)) await node.stop();
    });
  });

  it('are stored until two hours after their token would be refused as expired', async () => {
    const node = await start();
    const peer = node.addPeer('p');
    const table = () => node.store.table('federation_nonces').select('digest');
    await node.serving.tokens.accept(peer.token(NODE_ID));
    await node.clock.advance(2 * HOUR);
    expect(await table()).to.have.length(1);
    await comesTrue(async () => {
      await node.clock.advance(60 * SECOND);
      return (await table()).length === 0;
    });
  });
});
