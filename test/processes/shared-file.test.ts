import { expect } from 'chai';
import { problemsOf } from '../crash/check-state.ts';
import { readStateOf, STATE_PLUGINS } from '../crash/read-state.ts';
import { type NodeProcess, NodeProcesses } from '../kit/node-processes.ts';
import { PARALLEL_ASSERTS } from './process-counts.ts';

/** The number of triples that half of all assertions use. */
const COMMON_TRIPLES = 10;

const assertion = (label: string, n: number) => ({
  entity: n % 2 === 0 ? `common:${(n / 2) % COMMON_TRIPLES}` : `own:${label}-${n}`,
  relation: 'memory:note',
  value: { type: 'string', v: `${label} ${n}` },
  source: 'agent:sharing',
  scope: 'company',
  confidence: 0.9,
});

describe('Two processes on one SQLite file', () => {
  let processes: NodeProcesses;
  beforeEach(async () => {
    processes = await NodeProcesses.on('sqlite', STATE_PLUGINS);
  });
  afterEach(() => processes?.stop());

  it('store all concurrent writes, with at most one open conflict for each triple', async () => {
    // One process has a writer thread, the other has none.
    const [[one], [other]] = (await Promise.all(
      ['thread', 'inline'].map((layout) => processes.start(1, { SVC_SQLITE_WRITER: layout })),
    )) as [[NodeProcess], [NodeProcess]];
    const assertAll = (node: NodeProcess, label: string) =>
      Array.from({ length: PARALLEL_ASSERTS }, (_, n) => node.request('POST', '/v1/facts', assertion(label, n)));
    const replies = await Promise.all([...assertAll(one, 'one'), ...assertAll(other, 'other')]);

    expect(replies.filter(({ status }) => status !== 201)).to.deep.equal([]);
    const state = await readStateOf(processes);
    expect(problemsOf(state)).to.deep.equal([]);
    expect(state.members.size, 'triples with a conflict').to.equal(COMMON_TRIPLES);
    const stored = state.facts.filter(({ isSystem }) => !isSystem).map(({ id }) => id);
    expect(stored).to.have.members(replies.map(({ body }) => body.id));
  });
});
