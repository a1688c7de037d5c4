import { expect } from 'chai';
import * as fc from 'fast-check';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody } from './fact-bodies.ts';

/** One assertion of a random history. */
interface Step {
  readonly relation: 'memory:role' | 'memory:title';
  readonly v: number;
  readonly confidence: number;
  readonly source: string;
  readonly valid_until: string | null;
}

const step: fc.Arbitrary<Step> = fc.record({
  relation: fc.constantFrom('memory:role', 'memory:title'),
  v: fc.nat(1),
  confidence: fc.constantFrom(0, 1, 1, 1),
  source: fc.constantFrom('agent:w1', 'agent:w2'),
  valid_until: fc.constantFrom(null, null, '2026-03-02T08:00:00Z', '2026-03-02T10:00:00Z'),
});

const bodiesOf = (steps: readonly Step[], entity: string) =>
  steps.map(({ v, ...rest }) => factBody({ ...rest, entity, value: { type: 'number', v } }));

/** Replaces ids by the index of their first occurrence, to compare which answers name the same fact. */
const patternOf = (ids: readonly string[]): number[] => ids.map((id) => ids.indexOf(id));

forEachStore('a sequence of assertions', () => {
  let node: TestNode;
  let key: string;

  before(async () => {
    node = await startTestNode({ plugins: ['facts'] });
    key = await node.addKey();
  });

  after(() => node.stop());

  const alone = async (body: unknown): Promise<string> =>
    (await node.request('POST', '/v1/facts', { key, body })).body.id;
  const together = async (body: readonly unknown[]): Promise<string[]> => {
    const reply = await node.request('POST', '/v1/facts/batch', { key, body });
    return reply.body.results.map(({ fact }: { fact: { id: string } }) => fact.id);
  };

  it('gets the same results one by one, as one batch, and as several batches', async function () {
    this.timeout(300_000);
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), fc.nat(8), async (steps, cut) => {
        round += 1;
        const single: string[] = [];
        for (const body of bodiesOf(steps, `user:a${round}`)) single.push(await alone(body));
        const whole = await together(bodiesOf(steps, `user:b${round}`));
        const split = [];
        for (const part of [steps.slice(0, cut), steps.slice(cut)]) {
          if (part.length > 0) split.push(...(await together(bodiesOf(part, `user:c${round}`))));
        }
        expect(patternOf(whole)).to.deep.equal(patternOf(single));
        expect(patternOf(split)).to.deep.equal(patternOf(single));
      }),
      { numRuns: RUNS },
    );
  });
});
