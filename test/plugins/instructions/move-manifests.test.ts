import { expect } from 'chai';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import type { StoreKind } from '../../kit/for-each-store.ts';
import { contentOf, exportLines, importAll } from '../transfer/transfer-node.ts';
import { INSTRUCTION_PLUGINS, type InstructionsNode, startInstructionsNode, unit } from './instructions-node.ts';

const MAY_CLAIM = ['read', 'write', 'instruction:write'] as const;

describe('the export and import of manifests', () => {
  const started: InstructionsNode[] = [];
  const start = async (store: StoreKind): Promise<InstructionsNode> => {
    const made = await startInstructionsNode({
      plugins: [...INSTRUCTION_PLUGINS, 'transfer'],
      store,
      random: createSeededRandom(started.length + 1),
    });
    started.push(made);
    return made;
  };
  afterEach(async () => {
    for (const { node } of started.splice(0)) await node.stop();
  });

  for (const [from, to] of [
    ['sqlite', 'postgres'],
    ['postgres', 'sqlite'],
  ] as const) {
    it(`keep owner and current version, from ${from} to ${to}`, async () => {
      const [there, here] = [await start(from), await start(to)];
      const owner = await there.node.addKey({ entityUri: 'agent:owner', permissions: MAY_CLAIM });
      await there.say('deploy', 'text', {}, { key: owner });
      await there.published('v2', [unit('deploy')], {}, { key: owner });
      await there.published('v1', [unit('deploy'), unit('other')], {}, { key: owner });
      const lines = await exportLines(there.node);
      expect((await importAll(here.node, lines)).refused).to.deep.equal([]);
      expect(await contentOf(here.node)).to.deep.equal(await contentOf(there.node));
      expect((await importAll(here.node, lines)).refused).to.deep.equal([]);
      expect((await here.manifest()).body).to.deep.equal((await there.manifest()).body);
      expect((await here.recalled({ intent: 'deploy' })).chunks).to.have.length(1);
      expect((await here.publish('v3', [])).status).to.equal(403);
      expect((await here.publish('v2', [])).status).to.equal(403);
      const same = await here.node.addKey({ entityUri: 'agent:owner', permissions: MAY_CLAIM });
      expect((await here.publish('v2', [], {}, { key: same })).body.code).to.equal('manifest_version_conflict');
    });
  }

  it('refuse invalid lines, and do not change the owner of a known agent', async () => {
    const [there, here] = [await start('sqlite'), await start('sqlite')];
    const { id } = await there.say('deploy', 'text');
    await there.published('v1', [unit('deploy')]);
    const owner = await here.node.addKey({ entityUri: 'agent:owner', permissions: MAY_CLAIM });
    await here.published('v9', [unit('own')], {}, { key: owner });
    const lines = await exportLines(there.node);
    const agent = JSON.parse(lines.find((line) => line.includes('instruction_agent')) ?? '');
    const broken = [{ agent_key: '' }, { owner: 5 }, { fact_id: 'unknown' }, { fact_id: id }].map((members) =>
      JSON.stringify({ ...agent, ...members }),
    );
    const end = lines.pop() ?? '';
    const { refused } = await importAll(here.node, [...lines, ...broken, end]);
    expect(refused).to.have.length(4);
    expect((await here.manifest()).body.manifest_version).to.equal('v9');
    expect((await here.publish('v10', [])).status).to.equal(403);
  });
});
