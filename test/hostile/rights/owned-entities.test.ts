import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import {
  assertion,
  CAST,
  NAMESPACE_PLUGINS,
  type NamespacesNode,
  OWNED,
  outcome,
  PATTERN,
  REFUSED,
  startNamespacesNode,
} from '../../plugins/namespaces/namespaces-node.ts';

forEachStore('A stranger changes facts about an entity with other owners (I14)', () => {
  let node: NamespacesNode;
  afterEach(() => node.stop());

  const start = async (plugins: readonly string[] = NAMESPACE_PLUGINS): Promise<void> => {
    node = await startNamespacesNode({ plugins });
    await node.give(PATTERN);
  };
  const shown = async (): Promise<readonly unknown[]> => {
    const path = `/v1/facts?entity=${encodeURIComponent(OWNED)}`;
    const { facts } = (await node.must(200, 'stranger', 'GET', path)).body;
    return facts.map(({ value }: { value: { v: unknown } }) => value.v);
  };
  const ttlOf = (id: string) =>
    assertion({ entity: id, relation: 'svc:ttl', value: { type: 'datetime', v: '2026-03-02T00:00:00Z' } });

  it('with an assertion, a retraction or a repetition: each is refused, and facts stay readable', async () => {
    await start();
    expect(outcome(await node.say('owner'))).to.deep.equal([201]);
    const another = { value: { type: 'string', v: 'closed' } };
    for (const members of [another, { confidence: 0 }, {}, { scope: 'local' }, { entity: `${OWNED}/below/it` }]) {
      expect(outcome(await node.say('stranger', members)), JSON.stringify(members)).to.deep.equal(REFUSED);
    }
    expect(await shown()).to.deep.equal(['open']);
    expect(outcome(await node.say('owner', { confidence: 0 }))).to.deep.equal([201]);
  });

  it('with the admin permission, which allows changing the rules but not the facts', async () => {
    await start();
    expect(outcome(await node.say('operator'))).to.deep.equal(REFUSED);
    await node.give(PATTERN, [CAST.owner, CAST.operator]);
    expect(outcome(await node.say('operator'))).to.deep.equal([201]);
  });

  it('with another spelling of its name', async () => {
    await start();
    await node.give('project y');
    await node.give('svc://local host/project/*');
    const spellings = [
      OWNED.toUpperCase(),
      ` ${OWNED}\u2003`,
      'svc://localhost:8765/project/x/',
      'SVC://LOCALHOST:8765/PROJECT/X/the plan',
      `svc://localhost:8765/project/x/${'long'.repeat(200)}`,
      'Project\u00a0Y',
      'project-y',
      'svc://local-host/project/a',
      'svc://local host/project/a/b',
    ];
    for (const entity of spellings) {
      expect(outcome(await node.say('stranger', { entity })), entity).to.deep.equal(REFUSED);
    }
    for (const entity of ['svc://localhost:8765/project/x', 'svc://localhost:8765/project/xx/plan', 'project-y/z']) {
      expect(outcome(await node.say('stranger', { entity })), entity).to.deep.equal([201]);
    }
  });

  it('with an item of a batch: only that item is refused', async () => {
    await start();
    const body = [assertion({ entity: 'user:free' }), assertion(), assertion({ entity: 'user:free-too' })];
    const { results } = (await node.must(200, 'stranger', 'POST', '/v1/facts/batch', body)).body;
    const verdicts = results.map(({ status, error }: { status: number; error?: { code: string } }) => [
      status,
      error?.code,
    ]);
    expect(verdicts).to.deep.equal([[201, undefined], REFUSED, [201, undefined]]);
    expect(await shown()).to.deep.equal([]);
  });

  it('with a resolution of a contradiction about it', async () => {
    await start();
    for (const v of ['open', 'closed']) await node.say('owner', { value: { type: 'string', v } });
    const [conflict] = (await node.must(200, 'stranger', 'GET', '/v1/conflicts')).body.conflicts;
    const path = `/v1/conflicts/${conflict.conflict_id}/resolve`;
    const resolve = (actor: 'stranger' | 'operator' | 'owner') =>
      node.ask(actor, 'POST', path, { body: { winning_fact_id: conflict.fact_a.id } });
    expect(outcome(await resolve('stranger'))).to.deep.equal(REFUSED);
    expect(outcome(await resolve('operator'))).to.deep.equal(REFUSED);
    expect(outcome(await resolve('owner'))).to.deep.equal([200]);
  });

  it('with a time to live on a fact, including facts of its own and facts that an administrator may end', async () => {
    node = await startNamespacesNode();
    const { id: strangers } = (await node.say('stranger')).body;
    await node.give(PATTERN);
    const { id: owners } = (await node.say('owner', { relation: 'memory:other' })).body;
    const end = (actor: 'stranger' | 'operator' | 'owner', id: string) =>
      node.ask(actor, 'POST', '/v1/facts', { body: ttlOf(id) });
    expect(outcome(await end('stranger', strangers))).to.deep.equal(REFUSED);
    expect(outcome(await end('stranger', `svc:fact:${strangers}`))).to.deep.equal(REFUSED);
    expect(outcome(await end('operator', owners))).to.deep.equal(REFUSED);
    expect(await shown()).to.have.lengthOf(2);
    expect(outcome(await end('owner', owners))).to.deep.equal([201]);
    expect(await shown()).to.have.lengthOf(1);
  });

  it('with a time to live on a hidden fact: the refusal does not reveal that the entity has an owner', async () => {
    await start();
    await node.must(201, 'owner', 'POST', '/v1/gardens', { slug: 'herbs', name: 'Herbs' });
    const { id } = (await node.say('owner', { garden_id: 'herbs' })).body;
    const ends = async (target: string) =>
      (await node.ask('stranger', 'POST', '/v1/facts', { body: ttlOf(target) })).body;
    const { request_id: _, ...hidden } = await ends(id);
    const { request_id: __, ...unknown } = await ends('00000000-0000-4000-8000-000000000000');
    expect(hidden.status).to.equal(404);
    expect(hidden).to.deep.equal(unknown);
  });

  it('as the moderator of a quarantine garden that holds a fact of an owner', async () => {
    await start();
    await node.must(201, 'stranger', 'POST', '/v1/gardens', { slug: 'ward', name: 'Ward', quarantine: true });
    const owner = { entity_uri: CAST.owner, role: 'admin' };
    await node.must(201, 'stranger', 'POST', '/v1/gardens/ward/members', owner);
    const { id } = (await node.say('owner', { garden_id: 'ward' })).body;
    expect(outcome(await node.ask('stranger', 'POST', `/v1/quarantine/${id}/admit`))).to.deep.equal(REFUSED);
    const reject = (actor: 'stranger' | 'owner') => node.ask(actor, 'POST', `/v1/quarantine/${id}/reject`);
    expect(outcome(await reject('stranger'))).to.deep.equal(REFUSED);
    expect(outcome(await reject('owner'))).to.deep.equal([200]);
  });

  it('by publishing a manifest that changes the instructions of an agent', async () => {
    await start([...NAMESPACE_PLUGINS, 'recall', 'search', 'instructions']);
    await node.give('instruction:default/agent/a1/*');
    const publish = async (actor: 'stranger' | 'owner', agent: string) =>
      outcome(
        await node.ask(actor, 'PUT', `/v1/agents/${agent}/instruction-manifest`, {
          body: { version: 'v1', entries: [], skip_coverage_gate: true },
        }),
      );
    expect(await publish('stranger', 'a1')).to.deep.equal(REFUSED);
    expect(await publish('stranger', 'a2')).to.deep.equal([200]);
    expect(await publish('owner', 'a1')).to.deep.equal([200]);
  });
});
