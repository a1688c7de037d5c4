import { expect } from 'chai';
import { StoreCopies } from '../../../kernel/leases/store-copies.ts';
import { type FactStore, ServiceError } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

forEachStore('a copy of a store that takes no writes', () => {
  it('is refused with the reason, and not as one that another process makes', async () => {
    const refused = new ServiceError('unavailable', 'the store may not be written');
    let isRefusing = false;
    const wrapStore = (store: FactStore): FactStore =>
      new Proxy(store, {
        get: (target, name) => {
          const found: unknown = Reflect.get(target, name);
          if (name === 'write' && isRefusing) return () => Promise.reject(refused);
          return typeof found === 'function' ? found.bind(target) : found;
        },
      });
    const node = await startTestNode({ plugins: [], wrapStore });
    try {
      isRefusing = true;
      const copies = node.kernel.get(StoreCopies);
      expect(await rejection(copies.alone(async () => 'made'))).to.equal(refused);
      isRefusing = false;
      expect(await copies.alone(async () => 'made')).to.equal('made');
    } finally {
      await node.stop();
    }
  });
});
