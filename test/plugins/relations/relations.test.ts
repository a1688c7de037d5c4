import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type RelationsNode, startRelationsNode } from './relations-node.ts';

const ROUTE = '/v1/relations';

forEachStore('rules about relations', () => {
  let node: RelationsNode;
  before(async () => {
    node = await startRelationsNode();
  });
  after(() => node.stop());

  it('are added, changed, listed and removed by administrators, and each change is audited', async () => {
    const body = { pattern: 'Memory:Knows', values: 'many', value_type: 'ref' };
    const added = await node.request('POST', ROUTE, { key: node.admin, body });
    expect(added.status, added.text).to.equal(201);
    expect(added.body).to.deep.include({ ...body, set_by: 'agent:admin' });
    const twice = await node.request('POST', ROUTE, { key: node.admin, body: { ...body, pattern: 'memory:knows' } });
    expect([twice.status, twice.body.code]).to.deep.equal([409, 'conflict']);
    expect(await node.rule('memory:KNOWS', 'many', { value_type: 'ref' }), 'the same again').to.deep.equal(added.body);
    const changed = await node.rule('memory:knows', 'one');
    expect(changed).to.deep.include({ pattern: 'memory:knows', values: 'one', value_type: null });
    const { rules } = (await node.request('GET', ROUTE, { key: node.key })).body;
    expect(rules).to.deep.equal([changed]);
    expect((await node.remove('memory:knows')).status).to.equal(204);
    expect((await node.remove('memory:knows')).status).to.equal(404);
    const { entries } = (await node.request('GET', '/v1/auth/audit?event_type=admin_action', { key: node.admin })).body;
    const actions = entries.map(({ detail }: { detail: { action: string } }) => detail.action);
    expect(actions.filter((action: string) => action.startsWith('relation'))).to.have.members([
      'relation_rule_set',
      'relation_rule_set',
      'relation_rule_remove',
    ]);
  });

  it('are refused from callers without the permission, and with a star that is not at the end', async () => {
    const body = { pattern: 'memory:likes', values: 'many' };
    expect((await node.request('PUT', ROUTE, { key: node.key, body })).status).to.equal(403);
    expect((await node.request('POST', ROUTE, { key: node.key, body })).status).to.equal(403);
    for (const pattern of ['a*b', '**', 'with blank', '']) {
      const reply = await node.request('PUT', ROUTE, { key: node.admin, body: { ...body, pattern } });
      expect([pattern, reply.status]).to.deep.equal([pattern, 422]);
    }
  });

  it('refuse values of another type from clients, but not in a retraction', async () => {
    await node.rule('typed:*', 'many', { value_type: 'number' });
    await node.rule('typed:free', 'many');
    const body = { entity: 'user:t', relation: 'typed:age', source: 'agent:a', scope: 'company' };
    const assert = (members: object) =>
      node.request('POST', '/v1/facts', { key: node.key, body: { ...body, ...members } });
    const refused = await assert({ value: { type: 'string', v: '5' } });
    expect(refused.status).to.equal(422);
    expect(refused.text).to.contain('body.value.type');
    expect(refused.text).to.contain('PUT /v1/relations').and.not.to.contain('"5"');
    expect((await assert({ value: { type: 'number', v: 5 } })).status).to.equal(201);
    expect((await assert({ value: { type: 'string', v: '5' }, confidence: 0 })).status).to.equal(201);
    expect((await assert({ relation: 'typed:free', value: { type: 'string', v: '5' } })).status).to.equal(201);
  });
});

forEachStore('a relation that may hold many values', () => {
  let node: RelationsNode;
  beforeEach(async () => {
    node = await startRelationsNode();
  });
  afterEach(() => node.stop());

  it('has no contradictions, and a query returns all values', async () => {
    await node.rule('memory:likes', 'many');
    for (const v of ['tea', 'jam', 'rye']) expect((await node.say(v)).contradicted).to.equal(false);
    expect(await node.shown()).to.deep.equal(['jam', 'rye', 'tea']);
    expect(await node.conflicts('all')).to.deep.equal([]);
    await node.say('red', { relation: 'memory:hair' });
    await node.say('grey', { relation: 'memory:hair' });
    expect(await node.conflicts()).to.have.length(1);
  });

  it('follows the rule with the longest matching pattern', async () => {
    await node.rule('*', 'many');
    await node.rule('rel:*', 'one');
    await node.rule('rel:tag:*', 'many');
    await node.rule('rel:tag:main', 'one');
    for (const relation of ['memory:likes', 'rel:owner', 'rel:tag:x', 'rel:tag:main']) {
      await node.say(`${relation} 1`, { relation });
      await node.say(`${relation} 2`, { relation });
    }
    expect(await node.shown()).to.deep.equal([
      'memory:likes 1',
      'memory:likes 2',
      'rel:owner 2!',
      'rel:tag:main 2!',
      'rel:tag:x 1',
      'rel:tag:x 2',
    ]);
  });

  it('has its open conflicts closed when its rule is set, and opened again when the rule is removed', async () => {
    await node.say('tea');
    await node.say('jam');
    await node.say('red', { relation: 'memory:hair' });
    await node.say('grey', { relation: 'memory:hair' });
    expect(await node.conflicts()).to.have.length(2);
    await node.rule('memory:likes', 'many');
    expect(await node.shown('&relation=memory:likes'), 'reads follow at once').to.deep.equal(['jam', 'tea']);
    expect(await node.conflicts(), 'so does the list').to.have.length(1);
    await node.settled();
    const [closed] = await node.conflicts('resolved');
    expect(closed).to.deep.include({ status: 'resolved', resolved_by: null });
    const status = `/v1/facts?entity=${closed.conflict_id}&relation=svc:conflict:status`;
    const { facts } = (await node.request('GET', status, { key: node.key })).body;
    expect(facts.map(({ value }: { value: { v: string } }) => value.v)).to.include('resolved');
    await node.say('rye');
    expect((await node.remove('memory:likes')).status).to.equal(204);
    await node.settled();
    const [opened, ...others] = await node.conflicts();
    expect(others).to.have.length(1);
    expect(opened.members).to.have.length(3);
    expect(opened.conflict_id).not.to.equal(closed.conflict_id);
    expect(await node.shown('&relation=memory:likes')).to.deep.equal(['rye!']);
    expect(await node.conflicts('all')).to.have.length(3);
  });

  it('follows the rules of a past moment in a read as of that moment', async () => {
    const moments: string[] = [];
    const shownAt = (at: number) => node.shown(`&relation=memory:likes&as_of=${moments[at]}`);
    await node.say('tea');
    moments.push((await node.say('jam')).hlc);
    moments.push((await node.rule('memory:*', 'many')).since);
    moments.push((await node.say('rye')).hlc);
    moments.push((await node.rule('memory:likes', 'one')).since);
    await node.settled();
    expect(await shownAt(0)).to.deep.equal(['jam!']);
    expect(await shownAt(1)).to.deep.equal(['jam', 'tea']);
    expect(await shownAt(2)).to.deep.equal(['jam', 'rye', 'tea']);
    expect(await shownAt(3)).to.deep.equal(['rye!']);
    expect(await node.shown()).to.deep.equal(['rye!']);
    const { events } = (await node.request('GET', '/v1/history/user:a', { key: node.key })).body;
    expect(events.map(({ contradicts }: { contradicts: string[] }) => contradicts.length)).to.deep.equal([0, 1, 0]);
  });
});

forEachStore('rules about relations in strict mode', () => {
  it('permit a second value for a relation that may hold many', async () => {
    const node = await startRelationsNode({ env: { SVC_CONFLICT_MODE: 'strict' } });
    try {
      await node.rule('memory:likes', 'many');
      await node.say('tea');
      await node.say('jam');
      await node.rule('memory:likes', 'one');
      const body = {
        entity: 'user:a',
        relation: 'memory:likes',
        value: { type: 'string', v: 'rye' },
        source: 'agent:a',
        scope: 'company',
      };
      expect((await node.request('POST', '/v1/facts', { key: node.key, body })).status).to.equal(409);
    } finally {
      await node.stop();
    }
  });
});
