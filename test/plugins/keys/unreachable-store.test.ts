import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

forEachStore('a key that cannot be checked because the store is unreachable', () => {
  it('is answered with 503 and never accepted', async () => {
    const node = await startTestNode({ plugins: ['keys'] });
    const key = await node.addKey();
    await node.kernel.get(FactStore).close();
    for (const credential of [key, 'unknown-key-0123456789-0123456789']) {
      const reply = await node.request('GET', '/v1/me', { key: credential });
      expect([reply.status, reply.body.code]).to.deep.equal([503, 'unavailable']);
    }
    expect((await node.request('GET', '/v1/me')).status).to.equal(401);
    await node.stop();
  });
});
