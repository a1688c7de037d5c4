import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { sampleFact, sampleId } from '../../kit/fact-samples.ts';
import { createTemporaryStore } from './temporary-store.ts';

const CANARY = 'canary-7f3a';
const FACTS = 400;

describe('A scrubbed SQLite file', () => {
  it('contains no byte of an erased value or its content id, on any page', async () => {
    const { store, path, stop } = await createTemporaryStore();
    try {
      await store.migrate(CORE_MIGRATIONS);
      const ids = Array.from({ length: FACTS }, (_, at) => sampleId(at + 1));
      const cids: string[] = [];
      for (let at = 1; at <= FACTS; at += 1) {
        const fact = sampleFact(at, {
          value: { type: 'string', v: `${CANARY} ${at} `.repeat(1 + (at % 40)), interpretAs: 'content' },
        });
        cids.push(fact.cid);
        await store.write('default', (transaction) => transaction.insert([fact]));
      }
      const commitment = new Uint8Array(32).fill(1);
      await store.write('default', (transaction) => transaction.erase(ids.map((id) => ({ id, commitment }))));
      expect(await bytesOf(dirname(path))).to.include(CANARY);
      await store.scrub();
      const left = await bytesOf(dirname(path));
      expect(left).to.not.include(CANARY);
      expect(cids.filter((cid) => left.includes(cid))).to.deep.equal([]);
    } finally {
      await stop();
    }
  });
});

const bytesOf = async (folder: string): Promise<string> => {
  const files = await readdir(folder);
  const contents = await Promise.all(files.map((file) => readFile(join(folder, file), 'latin1')));
  return contents.join('\n');
};
