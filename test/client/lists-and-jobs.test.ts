import { expect } from 'chai';
import { type FactClient, InvalidReplyError, JobFailedError } from '../../client/client.ts';
import { comesTrue } from '../kit/comes-true.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { rejection } from '../kit/rejection.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';
import { clientOf } from './loopback-fetch.ts';
import { json, scriptedServer } from './scripted-fetch.ts';

describe('a list', () => {
  const page = (cursor: string | null, ...ids: string[]) =>
    json(200, { facts: ids.map((id) => ({ id })), total: 3, cursor, tombstone_notices: [] });

  it('requests a page when the caller needs it, and adds only the cursor to the same filters', async () => {
    const { client, sent } = scriptedServer([page('c1', 'a', 'b'), page('c 2'), page(null, 'c')]);
    const list = client.query({ entity: 'user:a', limit: 2 });
    expect(sent).to.have.length(0);
    const ids: string[] = [];
    for await (const { id } of list) ids.push(id);
    expect(ids).to.deep.equal(['a', 'b', 'c']);
    expect(sent.map(({ url }) => new URL(url).search)).to.deep.equal([
      '?entity=user%3Aa&limit=2',
      '?entity=user%3Aa&limit=2&cursor=c1',
      '?entity=user%3Aa&limit=2&cursor=c+2',
    ]);
  });

  it('requests no page that the caller does not read', async () => {
    const { client, sent } = scriptedServer([page('c1', 'a', 'b'), page(null, 'c')]);
    expect(await client.query().take(2)).to.have.length(2);
    expect(await client.query().take(0)).to.deep.equal([]);
    expect(sent).to.have.length(1);
  });

  it('ends with an error when a cursor repeats', async () => {
    const { client } = scriptedServer([page('c1', 'a')]);
    expect(await rejection(client.query().take(9))).to.be.instanceOf(InvalidReplyError);
  });
});

describe('a job', () => {
  it('is followed to its end, with progress', async () => {
    const job = (status: string) => json(200, { job_id: 'j 1', status });
    const { client, sent } = scriptedServer([job('pending'), job('running'), job('done')]);
    const seen: string[] = [];
    const done = await client.followJob({ job_id: 'j 1' }, { onProgress: ({ status }) => seen.push(status) });
    expect(done.status).to.equal('done');
    expect(seen).to.deep.equal(['pending', 'running', 'done']);
    expect(sent[0]?.url).to.match(/\/v1\/jobs\/j%201$/);
  });

  it('that fails is an error with its reason', async () => {
    const { client } = scriptedServer([json(200, { job_id: 'j', status: 'failed', error: 'no room' })]);
    const error = await rejection(client.followJob('j'));
    expect(error).to.be.instanceOf(JobFailedError);
    expect(error.message).to.contain('no room');
  });
});

forEachStore('lists and gardens of a node, through its client', () => {
  let node: TestNode;
  let client: FactClient;

  before(async () => {
    node = await startTestNode();
    client = clientOf(node, { key: await node.addKey({ entityUri: 'agent:me' }), source: 'agent:me' });
  });
  after(() => node.stop());

  it('return every fact once, over any number of pages and with any entity name', async () => {
    const entity = 'https://x.example/a b?c=%2F#d/ü';
    const facts = Array.from({ length: 7 }, (_, at) => ({ entity, relation: `memory:n${at}`, value: at }));
    const { accepted } = await client.assertMany(facts);
    expect(accepted).to.equal(7);
    const numbers = (await client.query({ entity, limit: 3 }).take(99)).map(({ value }) => value.v);
    expect(numbers.sort()).to.deep.equal([0, 1, 2, 3, 4, 5, 6]);
    expect((await client.query({ entity }).first()).total).to.equal(7);
    expect((await client.card(entity)).entity_uri).to.equal(entity);
    expect(await client.history(entity, { scope: 'company', limit: 2 }).take(99)).to.have.length(7);
  });

  it('iterate over neighbours, provenance and retractions', async () => {
    const ref = { type: 'ref', v: 'project:atlas' } as const;
    const owner = await client.assert({ entity: 'user:noor', relation: 'rel:owner', value: ref });
    const derived = await client.assert({
      entity: 'user:noor',
      relation: 'memory:note',
      value: 'owns a project',
      derived_from: [{ fact_id: owner.id }],
    });
    const around = await client.neighbors({ entity: ['user:noor'] }).take(5);
    expect(around.map(({ entity }) => entity)).to.deep.equal(['project:atlas']);
    expect((await client.provenance(derived.id)).derived_from[0]).to.include({ fact_id: owner.id, exists: true });
    await client.retract({ entity: 'user:noor', relation: 'rel:owner' });
    expect(await client.neighbors({ entity: 'user:noor' }).take(5)).to.deep.equal([]);
  });

  it('manage a garden and its members', async () => {
    const { gardens } = client;
    const { garden_id: uri } = await gardens.create({ slug: 'herbs', name: 'Herbs' });
    await gardens.addMember(uri, 'agent:a/b');
    expect(await gardens.setRole('herbs', 'agent:a/b', 'writer')).to.include({ role: 'writer' });
    expect((await gardens.members(uri)).map(({ entity_uri: who }) => who)).to.have.members(['agent:me', 'agent:a/b']);
    await gardens.removeMember('herbs', 'agent:a/b');
    expect((await gardens.get(uri)).members).to.have.length(1);
    expect((await gardens.list()).map(({ slug }) => slug)).to.deep.equal(['herbs']);
    await gardens.remove('herbs');
    expect(await gardens.list()).to.deep.equal([]);
  });

  it('follow a job that the node has accepted', async () => {
    const admin = clientOf(node, { key: await node.addKey({ permissions: ['read', 'write', 'admin'] }) });
    const job = await admin.call('POST /v1/backups');
    const following = admin.followJob(job);
    let isOver = false;
    void following.finally(() => {
      isOver = true;
    });
    await comesTrue(async () => {
      await node.clock.advance(100);
      return isOver;
    });
    expect(await following).to.include({ status: 'done', job_id: job.job_id });
    expect((await admin.health()).status).to.equal('ok');
    expect(await admin.me()).to.have.property('entity_uri', 'agent:test');
  });
});
