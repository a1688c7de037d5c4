import { expect } from 'chai';
import { createSeededRandom } from '../../../fakes/seeded-random.ts';
import { currentStore, forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';
import { contentOf, exportLines, importAll } from '../../transfer/transfer-node.ts';

const env = { SVC_TOMBSTONES_ENABLED: 'true' };

forEachStore('tombstones in the export of a tenant', () => {
  const nodes: TestNode[] = [];

  const start = async () => {
    const node = await startTestNode({ env, random: createSeededRandom(nodes.length + 1), store: currentStore() });
    nodes.push(node);
    return { node, key: await node.addKey({ permissions: ['read', 'write', 'admin'] }) };
  };
  type Started = Awaited<ReturnType<typeof start>>;

  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
  });

  const send = async ({ node, key }: Started, method: 'GET' | 'POST', path: string, body?: object) => {
    const reply = await node.request(method, path, { key, body });
    expect(reply.status, `${path} ${reply.text}`).to.be.below(300);
    return reply.body;
  };
  const say = (started: Started, entity: string, v: string) =>
    send(started, 'POST', '/v1/facts', {
      entity,
      relation: 'memory:note',
      value: { type: 'string', v },
      source: 'agent:w1',
      scope: 'company',
    });
  const hide = (started: Started, entity: string, members: object = {}) =>
    send(started, 'POST', '/v1/tombstones', { entity_uri: entity, ...members });
  const valuesOf = async (started: Started, path = '/v1/facts?relation=memory:note'): Promise<string[]> =>
    (await send(started, 'GET', path)).facts.map(({ value }: { value: { v: string } }) => value.v).sort();
  const recalled = async (started: Started): Promise<string[]> => {
    const { facts } = await send(started, 'POST', '/v1/recall', { query: 'the harbour', token_budget: 500 });
    return facts.map(({ fact }: { fact: { value: { v: string } } }) => fact.value.v).sort();
  };

  it('hide in the other store what they hide here, until they are revoked', async () => {
    const origin = await start();
    await say(origin, 'user:hidden', 'lives at the harbour');
    await say(origin, 'user:shown', 'likes the harbour');
    await say(origin, 'user:back', 'left the harbour');
    const { id } = await hide(origin, 'user:hidden', { reason: 'asked for it' });
    const back = await hide(origin, 'user:back');
    await send(origin, 'POST', `/v1/tombstones/${back.id}/revoke`, { reason: 'by mistake' });
    const shown = await valuesOf(origin);
    expect(shown).to.deep.equal(['left the harbour', 'likes the harbour']);

    const other = await start();
    const lines = await exportLines(origin.node);
    // The other node indexes the facts before their tombstones arrive.
    const isFact = (line: string) => JSON.parse(line).type === 'fact';
    const [header = '', ...rest] = lines;
    await importAll(other.node, [header, ...rest.filter(isFact)]);
    expect(await recalled(other)).to.have.length(3);
    expect((await importAll(other.node, lines)).refused).to.deep.equal([]);
    expect(await valuesOf(other)).to.deep.equal(shown);
    expect(await recalled(other)).to.deep.equal(shown);
    for (const path of ['/v1/tombstones', '/v1/tombstones/user:hidden', '/v1/tombstones/user:back']) {
      expect(await send(other, 'GET', path), path).to.deep.equal(await send(origin, 'GET', path));
    }
    expect(await contentOf(other.node)).to.deep.equal(lines.slice(1));

    expect((await importAll(other.node, lines)).refused).to.deep.equal([]);
    await send(other, 'POST', `/v1/tombstones/${id}/revoke`, { reason: 'agreed' });
    expect(await valuesOf(other)).to.include('lives at the harbour');
    await importAll(other.node, lines);
    expect(await valuesOf(other)).to.include('lives at the harbour');
  });

  it('keep erased facts of an older file out of the other store', async () => {
    const origin = await start();
    const { id: factId } = await say(origin, 'user:gone', 'secret harbour');
    const older = await exportLines(origin.node);
    const { id } = await hide(origin, 'user:gone');
    await send(origin, 'POST', `/v1/tombstones/${id}/erase`, { confirm: 'user:gone' });
    const other = await start();
    await importAll(other.node, await exportLines(origin.node));
    await importAll(other.node, older);
    expect((await exportLines(other.node)).join('\n'))
      .not.to.contain('secret harbour')
      .and.not.contain(factId);
  });

  it('that are damaged are refused by line, without a change', async () => {
    const origin = await start();
    await hide(origin, 'user:hidden');
    const lines = await exportLines(origin.node);
    const at = lines.findIndex((line) => JSON.parse(line).type === 'tombstone');
    const marker = JSON.parse(lines[at] as string);
    const other = await start();
    for (const broken of [
      { id: 'x' },
      { entity_uri: 7 },
      { entity_uri: ' user:hidden' },
      { scope: 'nowhere' },
      { created_at: 'soon' },
      { erased_ms: 'never' },
      { erased_ms: -1 },
      { received_from: 7 },
      { origin_id: '' },
      { revocation: {} },
    ]) {
      const file = [lines[0] as string, JSON.stringify({ ...marker, ...broken })];
      const { refused } = await importAll(other.node, file);
      expect(refused, JSON.stringify(broken)).to.have.length(1);
    }
    expect((await send(other, 'GET', '/v1/tombstones')).tombstones).to.deep.equal([]);
    // One of a peer may have lost its signature in a restore.
    const restored = JSON.stringify({ ...marker, signature: '', received_from: 'svc:node:peer' });
    expect((await importAll(other.node, [lines[0] as string, restored])).refused).to.deep.equal([]);
    expect(await contentOf(other.node)).to.include(restored);
  });
});
