import { expect } from 'chai';
import type { FactDraft } from '../../../kernel/plugin-api.ts';
import { NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const AT_MS = Date.UTC(2026, 2, 2, 8);

/**
 * Facts of several nodes about one triple: competing values of equal and different strength, a retraction, an expiry.
 */
const story: readonly FactDraft[] = [
  ['red', 0.9, 1],
  ['blue', 0.9, 2],
  ['retracted', 0, 3],
  ['green', 0.7, 4],
  ['yellow', 0.8, 5],
  ['green', 0.8, 5],
  ['pink', 0.2, 6],
].map(([v, confidence, stamp], n) => ({
  entity: 'user:alice',
  relation: 'memory:colour',
  value: { type: 'string', v: v as string, interpretAs: 'content' },
  source: `agent:${n}`,
  confidence: confidence as number,
  scope: 'public',
  validUntil: v === 'pink' ? '2026-03-02T10:00:00Z' : null,
  timestamp: '2026-03-02T08:00:00.000Z',
  id: `fact-${n}`,
  hlcText: `${AT_MS + (stamp as number)}.0`,
  receivedFrom: 'svc:node:far',
  originNodeId: `svc:node:${n}`,
}));

forEachStore('A relay sends facts in any order (I12)', () => {
  it('and every node gives the same answers in the end', async function () {
    this.timeout(300_000);
    const told = new Set<string>();
    const random = createSeededRandom(12);
    for (let turn = 0; turn < 6; turn += 1) {
      const node = await startTestNode();
      try {
        const key = await node.addKey();
        const { names } = node.kernel.get(NodeSelf);
        const order = [...story].map((draft) => ({ draft, at: random.fraction() })).sort((a, b) => a.at - b.at);
        for (const { draft } of turn === 0 ? story.map((draft) => ({ draft })) : order) {
          await node.facts.append(draft, nodePrincipal(names), { origin: 'peer' });
        }
        const { body } = await node.request('GET', '/v1/facts?entity=user:alice', { key });
        const shown = body.facts.map((fact: { id: string; contradicted: boolean }) => [fact.id, fact.contradicted]);
        told.add(JSON.stringify([body.total, shown]));
      } finally {
        await node.stop();
      }
    }
    expect([...told]).to.have.length(1);
    expect(JSON.parse([...told][0] as string)[1]).to.deep.equal([
      ['fact-5', true],
      ['fact-4', true],
      ['fact-3', true],
    ]);
  });
});
