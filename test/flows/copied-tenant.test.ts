import { expect } from 'chai';
import { comesTrue } from '../kit/comes-true.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';
import { exportLines, importAll } from '../plugins/transfer/transfer-node.ts';

const COPY = 'acme';

const said = (entity: string, value: unknown, members: Readonly<Record<string, unknown>> = {}) => ({
  entity,
  relation: 'memory:role',
  value,
  source: 'agent:s',
  scope: 'company',
  ...members,
});

const text = (v: string) => ({ type: 'string', v });

const PLUGINS = ['keys', 'multi-tenant', 'facts', 'conflicts', 'gardens', 'search', 'recall', 'transfer'];

const LISTS = [
  '/v1/facts?limit=500',
  '/v1/facts?limit=500&include_contradicted=true&include_expired=true&include_retracted=true',
  '/v1/conflicts?status=all',
  '/v1/conflicts',
  '/v1/gardens',
  '/v1/gardens/herbs/members',
  '/v1/quarantine?limit=100',
];

const CHANGED = LISTS.filter((target) => target !== '/v1/gardens');

forEachStore('A tenant that is an exact copy of another one on the same node', () => {
  let node: TestNode;
  let original: string;
  let copy: string;

  const ask = async (key: string, target: string): Promise<unknown> => {
    const reply = await node.request('GET', target, { key });
    expect(reply.status, `${target}: ${reply.text}`).to.equal(200);
    return reply.body;
  };
  const post = async (key: string, target: string, body: unknown) => {
    const reply = await node.request('POST', target, { key, body });
    expect(reply.status, `${target}: ${reply.text}`).to.be.within(200, 201);
    return reply.body;
  };
  const answers = async (key: string): Promise<Readonly<Record<string, unknown>>> => {
    const recalled = await post(key, '/v1/recall', { query: 'gardener', token_budget: 1_000 });
    const found = (recalled.facts as { fact: { id: string } }[]).map(({ fact }) => fact.id);
    const lists = await Promise.all(LISTS.map(async (target) => [target, await ask(key, target)] as const));
    return { ...Object.fromEntries(lists), found };
  };

  beforeEach(async () => {
    node = await startTestNode({ plugins: PLUGINS, settings: { 'multi-tenant': { enabled: true } } });
    const permissions = ['read', 'write', 'admin'];
    original = await node.addKey({ entityUri: 'agent:s', permissions });
    copy = await node.addKey({ entityUri: 'agent:s', permissions, tenantId: COPY });
    await post(original, '/v1/gardens', { slug: 'herbs', name: 'Herbs', scope: 'company', quarantine: true });
    await post(original, '/v1/facts', said('user:held', text('waiting'), { garden_id: 'herbs' }));
    await post(original, '/v1/facts', said('user:alice', text('gardener')));
    await node.clock.advance(5);
    await post(original, '/v1/facts', said('user:alice', text('engineer')));
    const mortal = await post(original, '/v1/facts', said('user:bob', text('gardener')));
    const end = { type: 'datetime', v: '2099-01-01T00:00:00Z' };
    await post(original, '/v1/facts', said(`svc:fact:${mortal.id}`, end, { relation: 'svc:ttl' }));
    const [header = '{}', ...lines] = await exportLines(node);
    const here = JSON.stringify({ ...JSON.parse(header), tenant_id: COPY });
    expect((await importAll(node, [here, ...lines])).refused).to.deep.equal([]);
  });
  afterEach(() => node.stop());

  const areAlike = async (): Promise<boolean> => {
    const [one, other] = [await answers(original), await answers(copy)];
    return JSON.stringify(one) === JSON.stringify(other);
  };

  it('reads the same data as the other tenant', async () => {
    await comesTrue(areAlike);
    const read = await answers(copy);
    expect(read).to.deep.equal(await answers(original));
    expect(read['found']).to.have.length(1);
    expect((read['/v1/conflicts'] as { conflicts: unknown[] }).conflicts).to.have.length(1);
  });

  it('leaves the other tenant unchanged when it changes', async () => {
    await comesTrue(areAlike);
    const before = await answers(original);
    const { conflicts } = (await ask(copy, '/v1/conflicts')) as {
      conflicts: { conflict_id: string; fact_a: { id: string } }[];
    };
    const [conflict] = conflicts;
    const winner = { winning_fact_id: conflict?.fact_a.id };
    await post(copy, `/v1/conflicts/${conflict?.conflict_id}/resolve`, winner);
    const { facts } = (await ask(copy, '/v1/facts?entity=user:held')) as { facts: { id: string }[] };
    await post(copy, `/v1/quarantine/${facts[0]?.id}/reject`, { reason: 'no' });
    await post(copy, '/v1/facts', said('user:bob', text('gardener'), { confidence: 0 }));
    await post(copy, '/v1/gardens/herbs/members', { entity_uri: 'agent:new', role: 'reader' });
    expect(await answers(original)).to.deep.equal(before);
    const after = await answers(copy);
    for (const target of CHANGED) expect(after[target], target).not.to.deep.equal(before[target]);
  });
});
