import type { Client } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { PREVIEW_LIFETIME_S } from '../../../plugins/mcp/forget-tokens.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { call, connectClient, type Loose, made } from './mcp-kit.ts';

const idsOf = (facts: readonly { id: string }[]): string[] => facts.map(({ id }) => id);

forEachStore('the tool forget', () => {
  let node: TestNode;
  let client: Client;
  let other: Client;
  let next = 0;
  before(async () => {
    node = await startTestNode({ settings: { tombstones: { enabled: true } } });
    client = await connectClient(node, await node.addKey({ entityUri: 'agent:noor' }));
    other = await connectClient(node, await node.addKey({ entityUri: 'agent:other' }));
  });
  after(async () => {
    await client.close();
    await other.close();
    await node.stop();
  });

  const freshEntity = (): string => {
    next += 1;
    return `user:forgotten-${next}`;
  };
  const assert = async (entity: string, relation: string, value: unknown): Promise<Loose> =>
    (await made(client, 'assert', { entity, relation, value })).fact;
  const live = async (entity: string): Promise<Loose[]> =>
    (await made(client, 'query', { entity, include_contradicted: true, min_confidence: 0.01 })).facts;
  const staleAs = async (from: Client, args: object): Promise<void> => {
    const result = await call(from, 'forget', args);
    expect(result.isError, JSON.stringify(result)).to.equal(true);
    expect(result.structuredContent.error).to.include({ code: 'conflict', status: 409 });
  };

  it('returns a preview without changes first, and hides the facts after a confirmation', async () => {
    const entity = freshEntity();
    const first = await assert(entity, 'memory:role', 'archivist');
    const rival = await assert(entity, 'memory:role', 'director');
    const kept = await assert(entity, 'memory:home', 'a harbour');
    const preview = await made(client, 'forget', { fact_id: first.id });
    expect(preview).to.include({ status: 'preview', expires_in_s: PREVIEW_LIFETIME_S });
    expect(idsOf(preview.facts)).to.have.members([first.id, rival.id]);
    expect(await live(entity)).to.have.lengthOf(3);

    const done = await made(client, 'forget', { fact_id: first.id, confirm: preview.confirm });
    expect(done.status).to.equal('forgotten');
    expect(idsOf(await live(entity))).to.deep.equal([kept.id]);
    const past = await made(client, 'query', { entity, include_retracted: true, include_contradicted: true });
    expect(idsOf(past.facts)).to.include.members([first.id, rival.id]);
  });

  it('hides one value of a relation that has several', async () => {
    const operator = await node.addKey({ permissions: ['read', 'write', 'admin'] });
    const rule = { pattern: 'memory:likes', values: 'many' };
    expect((await node.request('PUT', '/v1/relations', { key: operator, body: rule })).status).to.equal(200);
    const entity = freshEntity();
    const tea = await assert(entity, 'memory:likes', 'tea');
    const rain = await assert(entity, 'memory:likes', 'rain');
    const { facts, confirm } = await made(client, 'forget', { fact_id: tea.id });
    expect(idsOf(facts)).to.deep.equal([tea.id]);
    await made(client, 'forget', { fact_id: tea.id, confirm });
    expect(idsOf(await live(entity))).to.deep.equal([rain.id]);
    expect((await made(client, 'forget', { fact_id: tea.id })).status).to.equal('nothing');
  });

  it('hides a value that a resolution has chosen, and leaves the facts that it ended out of the preview', async () => {
    const entity = freshEntity();
    const chosen = await assert(entity, 'memory:role', 'archivist');
    await assert(entity, 'memory:role', 'director');
    const { conflicts } = await made(client, 'conflicts', {});
    const { conflict_id } = conflicts.find((each: Loose) => JSON.stringify(each).includes(entity));
    const resolved = await made(client, 'resolve', { conflict_id, winning_fact_id: chosen.id });
    const fact_id = resolved.resolution_fact_id;
    const { facts, confirm } = await made(client, 'forget', { fact_id });
    expect(idsOf(facts)).to.deep.equal([fact_id]);
    expect(await made(client, 'forget', { fact_id, confirm })).to.include({ status: 'forgotten' });
    expect(await made(client, 'forget', { entity })).to.include({ status: 'nothing' });
  });

  it('hides a value that has replaced more facts than one preview holds', async () => {
    const entity = freshEntity();
    const body = Array.from({ length: 100 }, (_, v) => ({
      entity,
      relation: 'memory:age',
      value: { type: 'number', v },
      source: 'agent:noor',
    }));
    const { results } = (await node.request('POST', '/v1/facts/batch', { key: await node.addKey(), body })).body;
    const replaces = results.map(({ fact }: { fact: { id: string } }) => fact.id);
    const { fact } = await made(client, 'assert', { entity, relation: 'memory:age', value: 3, replaces });
    const { facts, confirm } = await made(client, 'forget', { fact_id: fact.id });
    expect(idsOf(facts)).to.deep.equal([fact.id]);
    expect(await made(client, 'forget', { fact_id: fact.id, confirm })).to.include({ status: 'forgotten' });
  });

  it('accepts each confirmation once', async () => {
    const entity = freshEntity();
    await assert(entity, 'memory:role', 'archivist');
    const { confirm } = await made(client, 'forget', { entity });
    await made(client, 'forget', { entity, confirm });
    expect(await made(client, 'forget', { entity, confirm })).to.include({ status: 'nothing' });
    await assert(entity, 'memory:role', 'archivist');
    await staleAs(client, { entity, confirm });
    expect(await live(entity)).to.have.lengthOf(1);
  });

  it('accepts a confirmation only from the same caller, for the same arguments and facts, and in time', async () => {
    const entity = freshEntity();
    const fact = await assert(entity, 'memory:role', 'archivist');
    const { confirm } = await made(client, 'forget', { entity });
    await staleAs(other, { entity, confirm });
    await staleAs(client, { entity, relation: 'memory:role', confirm });
    await staleAs(client, { fact_id: fact.id, confirm });
    await staleAs(client, { entity, confirm: `${confirm.slice(0, -1)}A` });
    await staleAs(client, { entity, confirm: '' });
    await assert(entity, 'memory:home', 'a harbour');
    await staleAs(client, { entity, confirm });
    const again = await made(client, 'forget', { entity });
    await node.clock.advance(PREVIEW_LIFETIME_S * 1_000);
    await staleAs(client, { entity, confirm: again.confirm });
    expect(await live(entity)).to.have.lengthOf(2);
  });

  it('refuses too many facts, and a request without a target', async () => {
    const entity = freshEntity();
    const items = Array.from({ length: 101 }, (_, at) => ({
      entity,
      relation: `memory:note${at}`,
      value: { type: 'number', v: at },
      source: 'agent:noor',
    }));
    const key = await node.addKey();
    expect((await node.request('POST', '/v1/facts/batch', { key, body: items })).body.accepted).to.equal(101);
    for (const args of [{ entity }, {}, { entity, fact_id: 'x' }, { entity, relation: 'memory:x', tombstone: true }]) {
      const result = await call(client, 'forget', args);
      expect(result.structuredContent.error.code, JSON.stringify(args)).to.equal('validation');
    }
    expect((await call(client, 'forget', { fact_id: 'no-such-fact' })).structuredContent.error.code).to.equal('lookup');
    expect(await made(client, 'forget', { entity: 'user:nobody' })).to.include({ status: 'nothing' });
  });

  it('keeps facts about the same entity in another garden', async () => {
    const entity = freshEntity();
    const admin = await node.addKey({ entityUri: 'agent:noor', permissions: ['read', 'write', 'admin'] });
    const slug = `garden-${next}`;
    const made1 = await node.request('POST', '/v1/gardens', { key: admin, body: { slug, name: slug, scope: 'local' } });
    expect(made1.status, made1.text).to.equal(201);
    const inside = await made(client, 'assert', { entity, relation: 'memory:role', value: 'x', garden_id: slug });
    const outside = await assert(entity, 'memory:role', 'y');
    const { confirm, facts } = await made(client, 'forget', { fact_id: outside.id });
    expect(idsOf(facts)).to.deep.equal([outside.id]);
    await made(client, 'forget', { fact_id: outside.id, confirm });
    expect(idsOf(await live(entity))).to.deep.equal([inside.fact.id]);
  });

  it('hides a whole entity only for administrators', async () => {
    const entity = freshEntity();
    await assert(entity, 'memory:role', 'archivist');
    const refused = await made(client, 'forget', { entity, tombstone: true });
    const result = await call(client, 'forget', { entity, tombstone: true, confirm: refused.confirm });
    expect(result.structuredContent.error).to.include({ code: 'authorization', status: 403 });
    expect(await live(entity)).to.have.lengthOf(1);
    const key = await node.addKey({ entityUri: 'agent:root', permissions: ['read', 'write', 'admin'] });
    const admin = await connectClient(node, key);
    const { confirm } = await made(admin, 'forget', { entity, tombstone: true });
    expect(await made(admin, 'forget', { entity, tombstone: true, confirm })).to.include({ status: 'forgotten' });
    expect(await live(entity)).to.deep.equal([]);
    await admin.close();
  });
});
