import { expect } from 'chai';
import { ServiceError } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startCardsNode } from './cards-node.ts';

/** Counts the service errors that the work creates. Their constructor sets the name of each. */
const errorsDuring = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
  const created: string[] = [];
  Object.defineProperty(ServiceError.prototype, 'name', {
    configurable: true,
    set(this: ServiceError, value: string) {
      created.push(this.message);
      Object.defineProperty(this, 'name', { value, configurable: true, writable: true });
    },
  });
  try {
    await work();
  } finally {
    Reflect.deleteProperty(ServiceError.prototype, 'name');
  }
  return created;
};

forEachStore('a card that is made in time', () => {
  it('creates no error, because each costs a stack trace', async () => {
    const cards = await startCardsNode();
    try {
      await cards.say('memory:role', 'engineer');
      expect(await errorsDuring(() => cards.card())).to.deep.equal([]);
      await cards.say('memory:city', 'Oslo');
      expect(await errorsDuring(() => cards.card({ query: '?refresh=true' }))).to.deep.equal([]);
      const missing = () => cards.ask({ entity: 'user:nobody' });
      expect(await errorsDuring(missing), 'a refusal is counted').to.have.length(1);
    } finally {
      await cards.node.stop();
    }
  });
});
