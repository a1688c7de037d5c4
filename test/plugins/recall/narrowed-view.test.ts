import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { all, type FactReader } from '../../../kernel/plugin-api.ts';
import { narrowedView } from '../../../plugins/recall/narrowed-view.ts';
import type { TextQuery } from '../../../ports/ports.ts';
import { createTemporaryDatabase } from '../../adapters/postgres/temporary-database.ts';
import { createTemporaryStore } from '../../adapters/sqlite/temporary-store.ts';
import type { StoreUnderTest } from '../../contract/fact-store-contract.ts';
import { sampleFact, storeFacts } from '../../kit/fact-samples.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const MOST = 10;

forEachStore('the names that match the prefixes of a filter', (engine) => {
  let temporary: StoreUnderTest;

  before(async () => {
    temporary = await (engine === 'sqlite' ? createTemporaryStore() : createTemporaryDatabase());
    await temporary.store.migrate(CORE_MIGRATIONS);
    const keys = ['boat', 'pier'].flatMap((kind) => Array.from({ length: 6 }, (_, n) => `${kind}:${n}`));
    const facts = keys.map((entityKey, n) => sampleFact(n, { tenantId: 'default', entityKey }));
    await storeFacts(temporary.store, facts);
  });
  after(() => temporary.stop());

  /** Narrows by beginnings of entities. Returns the names, and the prefix and limit of each read. */
  const namesOf = async (prefixes: readonly string[], exact: readonly string[] = [], most = MOST) => {
    const reads: (readonly [string, number])[] = [];
    let running = 0;
    const view = await temporary.store.read((snapshot) => {
      const texts = async (query: TextQuery) => {
        reads.push([query.prefix, query.limit]);
        running += 1;
        expect(running, 'reads at a time').to.equal(1);
        const found = await snapshot.texts(query);
        running -= 1;
        return found;
      };
      const reader = { caller: { tenantId: 'default' }, snapshot: { texts }, constraint: async () => all() };
      return narrowedView({ entities: { exact, prefixes } }, reader as unknown as FactReader, 'body', most);
    });
    return { names: view.entityKeys, reads };
  };

  const refusalOf = async (prefixes: readonly string[], most: number) => {
    try {
      await namesOf(prefixes, [], most);
    } catch (error) {
      return error as Error & { readonly hint?: string };
    }
    throw new Error('the narrowing was not refused');
  };

  it('are read one prefix after another, each up to the remaining limit', async () => {
    const { names, reads } = await namesOf(['boat:', 'pier:1', 'pier:2'], ['pier:1', 'lone:1']);
    expect(names).to.have.members(['pier:1', 'lone:1', ...[0, 1, 2, 3, 4, 5].map((n) => `boat:${n}`), 'pier:2']);
    expect(reads).to.deep.equal([
      ['boat:', MOST + 1],
      ['pier:1', MOST - 5],
      ['pier:2', MOST - 6],
    ]);
  });

  it('are read once if one prefix begins with another', async () => {
    const { names, reads } = await namesOf(['boat:1', 'boat:', 'b', 'boat:2']);
    expect(names).to.have.length(6);
    expect(reads).to.deep.equal([['b', MOST + 1]]);
  });

  it('are refused if all prefixes of a list together match too many', async () => {
    expect((await namesOf(['boat:', 'pier:'], [], 12)).names).to.have.length(12);
    const { message, hint } = await refusalOf(['boat:', 'pier:'], 11);
    expect(message).to.include('body.entities').and.to.include('more than 11 names');
    expect(hint).to.include('write more of each name before its star');
  });
});
