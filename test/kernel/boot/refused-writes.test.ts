import { expect } from 'chai';
import { ServiceError } from '../../../kernel/plugin-api.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const WARNING = 'the store takes no writes at the moment; the node serves, and refuses them';

describe('a node that starts on a store which takes no writes', () => {
  it('serves, and warns with the reason', async () => {
    const refused = new ServiceError('unavailable', 'the store may not be written');
    const node = await startTestNode({
      plugins: [],
      wrapStore: (store) =>
        new Proxy(store, {
          get: (target, name) => {
            const found: unknown = Reflect.get(target, name);
            if (name === 'ping') return () => Promise.reject(refused);
            return typeof found === 'function' ? found.bind(target) : found;
          },
        }),
    });
    const warned = node.logLines.find(({ message }) => message === WARNING);
    await node.stop();
    expect(warned).to.deep.include({ level: 'warn' });
    expect(warned?.fields).to.deep.include({ error: refused }).and.to.have.property('store').that.is.a('string');
  });

  it('warns of nothing where the store takes them', async () => {
    const node = await startTestNode({ plugins: [] });
    await node.stop();
    expect(node.logLines.filter(({ message }) => message === WARNING)).to.deep.equal([]);
  });
});
