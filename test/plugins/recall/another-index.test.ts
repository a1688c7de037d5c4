import { expect } from 'chai';
import { tinySearch } from '../../examples/tiny-search.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

forEachStore('recall with a search index of another plugin', () => {
  let node: TestNode | undefined;
  afterEach(() => node?.stop());

  it('finds, ranks and packs the hits of that index, and shows only facts that the caller may see', async () => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'conflicts', 'recall', tinySearch()] });
    const started = node;
    const key = await started.addKey();
    const stranger = await started.addKey({ entityUri: 'agent:other', scopes: ['public'] });
    const say = async (entity: string, v: string, members = {}) => {
      const body = { entity, relation: 'memory:note', value: { type: 'text', v }, source: 'agent:s', ...members };
      const reply = await started.request('POST', '/v1/facts', { key, body });
      expect(reply.status, reply.text).to.equal(201);
    };
    const recall = async (members: object, caller = key): Promise<string[]> => {
      const body = { token_budget: 1_000, ...members };
      const reply = await started.request('POST', '/v1/recall', { key: caller, body });
      expect(reply.status, reply.text).to.equal(200);
      return reply.body.facts.map(({ fact }: { fact: { value: { v: string } } }) => fact.value.v);
    };
    await say('user:ann', 'Ann keeps two grey cats');
    await say('user:cem', 'Cem feeds grey cats', { scope: 'public' });
    await say('user:bob', 'Bob sails');
    await say('user:dan', 'grey');
    await say('user:dan', 'white cats');
    expect(await recall({ query: 'keeps grey cats' })).to.deep.equal([
      'Ann keeps two grey cats',
      'Cem feeds grey cats',
    ]);
    expect(await recall({ query: 'keeps grey cats' }, stranger)).to.deep.equal(['Cem feeds grey cats']);
    expect(await recall({ entity: 'user:bob' })).to.deep.equal(['Bob sails']);
    expect(await recall({ query: 'zeppelin' })).to.deep.equal([]);
  });

  it('refuses to start without an index, and names the plugin that provides one', async () => {
    const { message } = await rejection(startTestNode({ plugins: ['keys', 'facts', 'recall'] }));
    expect(message)
      .to.match(/recall requires search\.index/)
      .and.match(/enable 'search'/);
  });

  it('works without the plugin search, and search works without recall', async () => {
    for (const plugins of [
      ['keys', 'facts', 'search'],
      ['keys', 'facts'],
    ]) {
      node = await startTestNode({ plugins });
      const key = await node.addKey();
      const body = { entity: 'user:a', relation: 'memory:note', value: { type: 'null' }, source: 'agent:s' };
      expect((await node.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
      expect(
        (await node.request('POST', '/v1/recall', { key, body: { query: 'a', token_budget: 1 } })).status,
      ).to.equal(404);
      await node.stop();
    }
  });

  it('refuses a setting that was moved to search, and names its new key', async () => {
    const plugins = ['keys', 'facts', 'recall', 'search'];
    const settings = { recall: { snapshotFolder: 'elsewhere' } };
    const { message } = await rejection(startTestNode({ plugins, settings }));
    expect(message).to.include('plugins.recall.snapshotFolder is now plugins.search.snapshotFolder');
  });
});
