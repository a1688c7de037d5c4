import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { FactStore } from '../../../../ports/ports.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { ErasureNode, VICTIM } from './erasure-node.ts';

forEachStore('an erasure by a node whose key was lost', (kind) => {
  let at: ErasureNode;
  afterEach(() => at.remove());

  const factsAfter = async (erasure: () => Promise<unknown>): Promise<readonly unknown[]> => {
    at = await ErasureNode.start(kind);
    await at.say('a value');
    await erasure();
    // Leaves the store as a backup from before the tombstone has it.
    const store = at.node.kernel.get(FactStore);
    for (const table of ['tombstones_erasures', 'tombstones_markers', 'tombstones_hidden']) {
      await store.table(table).delete();
    }
    await at.say('from the backup');
    await at.end();
    await writeFile(join(at.folder, 'node.key'), randomBytes(32).toString('base64url'), { mode: 0o600 });
    await at.start();
    return (await at.get(`/v1/facts?entity=${VICTIM}`)).facts;
  };

  it('is repeated in a restored backup, because the store remembers the public half of the key', async () => {
    expect(await factsAfter(async () => at.erase(await at.tombstone()))).to.deep.equal([]);
  });

  it('leaves its tombstone in force in a restored backup', async () => {
    expect(await factsAfter(() => at.tombstone())).to.deep.equal([]);
  });
});
