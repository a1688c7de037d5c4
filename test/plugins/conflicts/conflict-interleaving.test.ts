import { expect } from 'chai';
import fc from 'fast-check';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

interface Step {
  readonly entity: number;
  readonly v: string;
  readonly confidence: number;
}

const step = fc.record({
  entity: fc.nat({ max: 2 }),
  v: fc.constantFrom('a', 'b', 'c'),
  confidence: fc.constantFrom(0, 0.5, 0.9, 1),
});
const steps = fc.array(step, { minLength: 2, maxLength: 14 });
/**
 * The number of consecutive steps that form a group, and whether a group is sent as a batch or as parallel requests.
 */
const grouping = fc.array(fc.record({ size: fc.integer({ min: 1, max: 5 }), batch: fc.boolean() }), {
  minLength: 14,
  maxLength: 14,
});

forEachStore('the conflicts that concurrent writers open', () => {
  let node: TestNode;
  let key: string;
  let runs = 0;

  before(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts'] });
    key = await node.addKey();
  });
  after(() => node.stop());

  const bodyOf = (world: string, { entity, v, confidence }: Step) => ({
    entity: `user:${world}-${entity}`,
    relation: 'memory:role',
    value: { type: 'string', v },
    source: 'agent:w',
    confidence,
  });
  const post = (body: object) => node.request('POST', '/v1/facts', { key, body });

  const serially = async (world: string, all: readonly Step[]): Promise<void> => {
    for (const one of all) expect((await post(bodyOf(world, one))).status).to.equal(201);
  };
  const inGroups = async (world: string, all: readonly Step[], groups: readonly { size: number; batch: boolean }[]) => {
    let at = 0;
    for (const { size, batch } of groups) {
      const bodies = all.slice(at, at + size).map((one) => bodyOf(world, one));
      at += size;
      if (bodies.length === 0) return;
      if (batch) await node.request('POST', '/v1/facts/batch', { key, body: bodies });
      else await Promise.all(bodies.map(post));
    }
  };

  /** Returns the visible conflicts and facts of a world, without ids and stamps. */
  const seen = async (world: string): Promise<unknown> => {
    const found: unknown[] = [];
    for (let entity = 0; entity <= 2; entity += 1) {
      for (const options of ['', '&include_contradicted=true', '&include_retracted=true']) {
        const { body } = await node.request('GET', `/v1/facts?entity=user:${world}-${entity}${options}`, { key });
        found.push([body.total, body.facts.map(labelOf).sort()]);
      }
    }
    const { body } = await node.request('GET', '/v1/conflicts?status=all&limit=500', { key });
    const own = body.conflicts.filter((conflict: Conflict) => conflict.fact_a.entity.startsWith(`user:${world}-`));
    found.push(
      own
        .map((conflict: Conflict) => [
          conflict.fact_a.entity.slice(`user:${world}-`.length),
          labelOf(conflict.fact_a),
          labelOf(conflict.fact_b),
          conflict.members.length,
        ])
        .sort(),
    );
    return found;
  };

  it('are those of serial writes, for any overlap of writers and any grouping of facts', async () => {
    await fc.assert(
      fc.asyncProperty(steps, grouping, async (all, groups) => {
        runs += 1;
        // Conflicts are listed newest first, so earlier worlds do not hide those of a later one.
        await node.clock.advance(1);
        await serially(`s${runs}`, all);
        await inGroups(`g${runs}`, all, groups);
        expect(await seen(`g${runs}`)).to.deep.equal(await seen(`s${runs}`));
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  });
});

interface Seen {
  readonly entity: string;
  readonly value: { readonly v: string };
  readonly confidence: number;
  readonly contradicted: boolean;
}

interface Conflict {
  readonly fact_a: Seen;
  readonly fact_b: Seen;
  readonly members: readonly string[];
}

const labelOf = ({ value, confidence, contradicted }: Seen): string => `${value.v} ${confidence} ${contradicted}`;
