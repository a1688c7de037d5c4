import { expect } from 'chai';
import type { FactDraft, StoredFact } from '../../../kernel/plugin-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { refDraft, WRITER } from './ref-drafts.ts';

/** More facts of one triple than an append reads. */
const CROWD = 150;

forEachStore('an edge whose fact ends is marked as over without a walk', () => {
  let node: TestNode;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['facts', 'graph'] });
  });
  afterEach(() => node.stop());

  const append = async (...drafts: readonly FactDraft[]): Promise<StoredFact[]> => {
    const verdicts = await node.facts.appendAll(drafts, WRITER);
    return verdicts.map((verdict) => {
      if (verdict.kind === 'rejected') throw verdict.error;
      return verdict.view.fact;
    });
  };

  const objects = async (isOver: 0 | 1): Promise<string[]> => {
    const rows = await node.kernel.get(FactStore).table('graph_edges').where('is_over', isOver).select('object_key');
    return rows.map((row: { readonly object_key: string }) => row.object_key).sort();
  };

  const becomeOver = async (...expected: readonly string[]): Promise<void> => {
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      return (await objects(1)).length >= expected.length;
    });
    expect(await objects(1)).to.deep.equal([...expected].sort());
  };

  it('by a retraction of its triple; edges of other triples, scopes and gardens stay', async () => {
    await append(
      refDraft('a', 'b'),
      refDraft('a', 'c'),
      refDraft('a', 'd', { relation: 'rel:likes' }),
      refDraft('a', 'e', { scope: 'public' }),
      refDraft('a', 'f', { gardenId: 'garden' }),
    );
    await append(refDraft('a', 'b', { confidence: 0 }));
    await becomeOver('b', 'c');
    expect(await objects(0)).to.deep.equal(['d', 'e', 'f']);
  });

  it('by a retraction in the same batch', async () => {
    await append(refDraft('a', 'b'), refDraft('a', 'b', { confidence: 0 }), refDraft('a', 'c'));
    await becomeOver('b');
    expect(await objects(0)).to.deep.equal(['c']);
  });

  it('by a retraction or a replacement that names it', async () => {
    const [, second, third] = await append(...['b', 'c', 'd', 'e'].map((object) => refDraft('a', object)));
    await append(
      refDraft('a', 'x', { confidence: 0, replaces: [second?.id ?? ''] }),
      refDraft('a', 'f', { replaces: [third?.id ?? ''] }),
    );
    await becomeOver('c', 'd');
    expect(await objects(0)).to.deep.equal(['b', 'e', 'f']);
  });

  it('by a retraction of very many facts', async () => {
    const spokes = Array.from({ length: CROWD }, (_, n) => `spoke:${n}`);
    await append(...spokes.map((spoke) => refDraft('a', spoke)), refDraft('b', 'c'));
    await append(refDraft('a', 'x', { confidence: 0 }));
    await becomeOver(...spokes);
    expect(await objects(0)).to.deep.equal(['c']);
  });
});
