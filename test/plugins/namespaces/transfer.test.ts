import { expect } from 'chai';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { contentOf, exportLines, importAll } from '../transfer/transfer-node.ts';
import { CAST, NAMESPACE_PLUGINS, OWNED, outcome, PATTERN, REFUSED, startNamespacesNode } from './namespaces-node.ts';

const PLUGINS = [...NAMESPACE_PLUGINS, 'transfer'];

describe('namespace rules in an export and import', () => {
  for (const [from, to] of [
    ['sqlite', 'postgres'],
    ['postgres', 'sqlite'],
  ] as const) {
    it(`are preserved, and still refuse strangers, from ${from} to ${to}`, async () => {
      const source = await startNamespacesNode({ plugins: PLUGINS, store: from });
      const target = await startNamespacesNode({ plugins: PLUGINS, store: to, random: createSeededRandom(2) });
      try {
        await source.give(PATTERN);
        await source.give('user:a', [CAST.stranger]);
        expect(outcome(await source.say('owner'))).to.deep.equal([201]);
        await target.give('USER:A', [CAST.operator]);
        await target.give(OWNED, [CAST.operator]);
        const lines = await exportLines(source);
        expect((await importAll(target, lines)).refused).to.deep.equal([]);
        const { namespaces } = (await target.must(200, 'operator', 'GET', '/v1/namespaces')).body;
        const rules = namespaces.map(({ pattern, owners }: { pattern: string; owners: string[] }) => [
          pattern,
          ...owners,
        ]);
        expect(rules, 'rules that are there already stay').to.deep.equal([
          [PATTERN, CAST.owner],
          [OWNED, CAST.operator],
          ['USER:A', CAST.operator],
        ]);
        const below = { entity: `${OWNED}/below` };
        expect(outcome(await target.say('stranger', below))).to.deep.equal(REFUSED);
        expect((await target.must(200, 'stranger', 'GET', `/v1/facts?entity=${OWNED}`)).body.total).to.equal(1);
        const again = await contentOf(target);
        await importAll(target, lines);
        expect(await contentOf(target)).to.deep.equal(again);
      } finally {
        await source.stop();
        await target.stop();
      }
    });
  }

  it('are refused in lines that no export contains', async () => {
    const node = await startNamespacesNode({ plugins: PLUGINS });
    try {
      await node.give(PATTERN);
      const [header = '', ...lines] = await exportLines(node);
      const rule = JSON.parse(lines.find((line) => line.includes('"namespace"')) ?? '{}');
      const broken = [
        { pattern: 'a*b' },
        { pattern: 5 },
        { owners: [] },
        { owners: [5] },
        { set_by: null },
        { set_ms: 'x' },
      ];
      for (const changes of broken) {
        const line = JSON.stringify({ ...rule, ...changes });
        expect((await importAll(node, [header, line])).refused, line).to.have.lengthOf(1);
      }
    } finally {
      await node.stop();
    }
  });
});
