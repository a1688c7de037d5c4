import { expect } from 'chai';
import { LEASE_MS } from '../../kernel/leases/lease-table.ts';
import type { FactStore } from '../../ports/ports.ts';
import { fewPlugins } from '../kit/few-plugins.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { type NodeProcess, NodeProcesses } from '../kit/node-processes.ts';
import { waitUntil } from '../kit/wait-until.ts';

const PROCESSES = { sqlite: 2, postgres: 3 } as const;
const ROUNDS = 8;
/** The time limit for vectors to be ready, generous for busy machines. */
const VECTORS_MS = 30_000;
const LEASE = { name: 'search words-3-768' };

const say = async (node: NodeProcess, v: string, members: object = {}): Promise<string> => {
  const body = {
    entity: `box:${v.split(' ')[0]}`,
    relation: 'memory:note',
    value: { type: 'text', v },
    source: 'agent:s',
  };
  const reply = await node.request('POST', '/v1/facts', { ...body, ...members });
  expect(reply.status, JSON.stringify(reply.body)).to.equal(201);
  return reply.body.id;
};

const recalled = async (node: NodeProcess, query: string, members: object = {}): Promise<string[]> => {
  const reply = await node.request('POST', '/v1/recall', { query, token_budget: 4_000, ...members });
  expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
  return reply.body.facts.map(({ fact }: { fact: { id: string } }) => fact.id);
};

forEachStore('Recall on processes that share a store', (store) => {
  let processes: NodeProcesses;
  let nodes: NodeProcess[];
  before(async () => {
    processes = await NodeProcesses.on(store, fewPlugins('recall', 'search'));
    nodes = await processes.start(PROCESSES[store]);
  });
  after(() => processes?.stop());

  it('finds on each process the facts just asserted on any, and none just retracted', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const writer = nodes[round % nodes.length] as NodeProcess;
      const id = await say(writer, `${round}x marvellous zeppelin`);
      const found = await Promise.all(nodes.map((node) => recalled(node, `zeppelin ${round}x`, { limit: 1 })));
      expect(found, `round ${round}`).to.deep.equal(nodes.map(() => [id]));
      const other = nodes[(round + 1) % nodes.length] as NodeProcess;
      await say(other, 'retracted', { entity: `box:${round}x`, confidence: 0 });
      const left = await Promise.all(nodes.map((node) => recalled(node, 'zeppelin')));
      expect(left, `round ${round}, retracted`).to.deep.equal(nodes.map(() => []));
    }
  });

  it('finds by vectors on each process the facts embedded by any, also when the embedding process is killed', async function () {
    this.timeout(300_000);
    const store = processes.openStore();
    const isFoundByAll = (id: string, query: string) => async (): Promise<boolean> => {
      const found = await Promise.all(
        processes.running.map((node) => recalled(node, query, { weights: { vector: 1 } })),
      );
      return found.every((ids) => ids.includes(id));
    };
    const first = await say(nodes[0] as NodeProcess, 'she studied counselling and education');
    await waitUntil('all have the first vector', VECTORS_MS, isFoundByAll(first, 'educaton counseling'));

    const holder = await holderOf(store);
    const victim = nodes.find(({ child }) => holder.endsWith(` ${child.pid}`)) as NodeProcess;
    expect(victim, 'the process that embeds').to.not.equal(undefined);
    const last = say(victim, 'he repaired the abandoned windmill');
    const second = await last;
    await victim.end('SIGKILL');
    // Expires the lease, as if its time had passed.
    await store.write('test', (transaction) =>
      transaction.table('leases').where(LEASE).where('holder', holder).decrement('until_ms', LEASE_MS),
    );
    await waitUntil('the others have the second', VECTORS_MS, isFoundByAll(second, 'abandonned windmil'));
    const third = await say(processes.running[0] as NodeProcess, 'gliding beneath the northern viaduct');
    await waitUntil('the others have the third', VECTORS_MS, isFoundByAll(third, 'northerly viadukt glide'));
    expect(await holderOf(store)).to.not.equal(holder);
  });
});

const holderOf = async (store: FactStore): Promise<string> => {
  const [row] = await store.read((snapshot) => snapshot.select('leases', LEASE));
  return String(row?.['holder']);
};
