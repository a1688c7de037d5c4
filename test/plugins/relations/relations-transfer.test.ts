import { expect } from 'chai';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { exportLines, importAll } from '../transfer/transfer-node.ts';
import { RELATION_PLUGINS, startRelationsNode } from './relations-node.ts';

const PLUGINS = [...RELATION_PLUGINS, 'transfer'];

describe('relation rules in an export and import', () => {
  it('are preserved; removing one in the other store opens conflicts there', async () => {
    const source = await startRelationsNode({ plugins: PLUGINS });
    const target = await startRelationsNode({ plugins: PLUGINS, random: createSeededRandom(2) });
    try {
      await source.rule('memory:likes', 'many');
      await source.rule('memory:knows', 'many', { value_type: 'ref' });
      await source.say('tea');
      await source.say('jam');
      await target.rule('memory:KNOWS', 'one');
      expect((await importAll(target, await exportLines(source))).refused).to.deep.equal([]);
      const { rules } = (await target.request('GET', '/v1/relations', { key: target.key })).body;
      expect(rules.map(({ pattern, values }: { pattern: string; values: string }) => [pattern, values])).to.deep.equal([
        ['memory:KNOWS', 'one'],
        ['memory:likes', 'many'],
      ]);
      expect(await target.shown()).to.deep.equal(['jam', 'tea']);
      await target.remove('memory:likes');
      await target.settled();
      expect(await target.conflicts()).to.have.length(1);
      expect(await target.shown()).to.deep.equal(['jam!']);
    } finally {
      await source.stop();
      await target.stop();
    }
  });

  it('are refused in lines that no export contains', async () => {
    const node = await startRelationsNode({ plugins: PLUGINS });
    try {
      await node.rule('memory:likes', 'many');
      const [header = '', ...lines] = await exportLines(node);
      const rule = JSON.parse(lines.find((line) => line.includes('"relation"')) ?? '{}');
      for (const changes of [
        { pattern: 'a*b' },
        { values: 'two' },
        { value_type: 'x' },
        { set_by: 1 },
        { set_ms: '' },
      ]) {
        const line = JSON.stringify({ ...rule, ...changes });
        expect((await importAll(node, [header, line])).refused, line).to.have.lengthOf(1);
      }
    } finally {
      await node.stop();
    }
  });
});

forEachStore('relation rules that an import brings to a store with facts', () => {
  it('apply from the import on, and stay removed in a repeated import', async () => {
    const source = await startRelationsNode({ plugins: PLUGINS });
    const target = await startRelationsNode({ plugins: PLUGINS, random: createSeededRandom(2) });
    try {
      await source.rule('memory:likes', 'many');
      const lines = await exportLines(source);
      await target.say('tea');
      await target.say('jam');
      await target.clock.advance(60_000);
      const before = new Date(target.clock.nowMs()).toISOString();
      expect(await target.shown()).to.deep.equal(['jam!']);
      await target.clock.advance(60_000);
      expect((await importAll(target, lines)).refused).to.deep.equal([]);
      await target.settled();
      expect(await target.shown()).to.deep.equal(['jam', 'tea']);
      expect(await target.shown(`&as_of=${before}`)).to.deep.equal(['jam!']);
      await target.remove('memory:likes');
      for (let turn = 0; turn < 2; turn += 1) await importAll(target, lines);
      await target.settled();
      expect(await target.shown()).to.deep.equal(['jam!']);
    } finally {
      await source.stop();
      await target.stop();
    }
  });
});
