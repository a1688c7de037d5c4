import { expect } from 'chai';
import { problemsOf } from '../crash/check-state.ts';
import { readStateOf, STATE_PLUGINS } from '../crash/read-state.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { type NodeProcess, NodeProcesses, type NodeReply } from '../kit/node-processes.ts';
import { RACES } from './process-counts.ts';

/**
 * The number of pairs in progress at once: with one, a process never had another write to batch with; with all, few
 * pairs would be concurrent.
 */
const LANES = 4;
const PAGE = 25;

const assertion = (triple: number, v: string) => ({
  entity: `race:${triple}`,
  relation: 'memory:note',
  value: { type: 'string', v },
  source: 'agent:race',
  scope: 'company',
  confidence: 0.9,
});

interface Conflict {
  readonly fact_a: { readonly entity: string };
  readonly members: readonly string[];
}

/** Returns all open conflicts, with each page from a different process. */
const openConflicts = async (nodes: readonly NodeProcess[]): Promise<Conflict[]> => {
  const found: Conflict[] = [];
  let cursor: string | null = null;
  for (let page = 0; page === 0 || cursor !== null; page += 1) {
    const from = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const node = nodes[page % nodes.length] as NodeProcess;
    const { status, body } = await node.request('GET', `/v1/conflicts?status=unresolved&limit=${PAGE}${from}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    found.push(...body.conflicts);
    ({ cursor } = body);
  }
  return found;
};

forEachStore('Two processes that contradict each other at the same moment', (store) => {
  let processes: NodeProcesses;
  beforeEach(async () => {
    processes = await NodeProcesses.on(store, STATE_PLUGINS);
  });
  afterEach(() => processes?.stop());

  it('open exactly one conflict for each triple, and keep both facts', async () => {
    const [one, other] = (await processes.start(2)) as [NodeProcess, NodeProcess];
    const replies: [NodeReply, NodeReply][] = [];
    let next = 0;
    const race = async (): Promise<void> => {
      while (next < RACES) {
        const triple = next;
        next += 1;
        replies[triple] = await Promise.all([
          one.request('POST', '/v1/facts', assertion(triple, 'of one')),
          other.request('POST', '/v1/facts', assertion(triple, 'of the other')),
        ]);
      }
    };
    await Promise.all(Array.from({ length: LANES }, race));

    const refused = replies.flat().filter(({ status }) => status !== 201);
    expect(refused).to.deep.equal([]);
    const conflicts = await openConflicts([one, other]);
    const members = new Map(conflicts.map((conflict) => [conflict.fact_a.entity, [...conflict.members].sort()]));
    expect(conflicts).to.have.length(RACES);
    const expected = replies.map((pair, triple) => [`race:${triple}`, pair.map(({ body }) => body.id).sort()] as const);
    expect(Object.fromEntries(members)).to.deep.equal(Object.fromEntries(expected));
    const state = await readStateOf(processes);
    expect(problemsOf(state)).to.deep.equal([]);
    expect(state.facts.filter(({ isSystem }) => !isSystem)).to.have.length(2 * RACES);
  });
});
