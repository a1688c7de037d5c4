import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { startGraphNode } from './graph-node.ts';

forEachStore('edges from sources of different trust', () => {
  it('are filtered and ordered by their effective confidence', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'rules.json');
      await writeFile(file, JSON.stringify({ default: 1, sources: { 'agent:gossip': 0 } }));
      const plugins = ['keys', 'facts', 'graph', 'source-trust'];
      const graph = await startGraphNode({ plugins, env: { SVC_TRUST_RULES_FILE: file } });
      try {
        await graph.link('a', 'heard', { source: 'agent:gossip', confidence: 0.9 });
        await graph.link('a', 'seen', { confidence: 0.6, relation: 'rel:saw' });
        const { body } = await graph.ask('entity=a');
        const shown = body.neighbors.map((one: { entity: string; confidence: number; source_trust: number }) => [
          one.entity,
          one.confidence,
          one.source_trust,
        ]);
        expect(shown).to.deep.equal([
          ['seen', 0.6, 1],
          ['heard', 0.45, 0],
        ]);
        expect(await graph.names('entity=a&min_confidence=0.5')).to.deep.equal(['seen']);
      } finally {
        await graph.node.stop();
      }
    }));
});
