import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { equals, not, readConstrain } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'gardens', 'graph', 'recall', 'search'];
/** Matches the members that differ in each reply. */
const OWN_ID = /"(recall|request)_id":"[^"]+"/;

/** Hides facts of `agent:secret` from `agent:outsider`, while `isDrawn` returns true. */
const curtain = (isDrawn: () => boolean) =>
  defineOwnPlugin({
    name: 'curtain',
    setup: ({ on }) => {
      on(readConstrain, ({ caller }) =>
        caller.entityUri === 'agent:outsider' && isDrawn() ? not(equals('sourceKey', 'agent:secret')) : undefined,
      );
    },
  });

forEachStore('facts that the node caches for one caller', () => {
  let node: TestNode;
  let insider: string;
  let outsider: string;
  let narrow: string;
  let isDrawn: boolean;
  let secretId: string;
  let openId: string;
  beforeEach(async () => {
    isDrawn = true;
    node = await startTestNode({ plugins: [...PLUGINS, curtain(() => isDrawn)] });
    insider = await node.addKey({ entityUri: 'agent:insider' });
    outsider = await node.addKey({ entityUri: 'agent:outsider' });
    narrow = await node.addKey({ entityUri: 'agent:narrow', scopes: ['public'] });
    secretId = await say('a lantern in the cellar', 'agent:secret');
    openId = await say('a lantern in the attic', 'agent:open');
  });
  afterEach(() => node.stop());

  const say = async (v: string, source: string, members = {}): Promise<string> => {
    const value = { type: 'text', v };
    const body = { entity: 'house:a', relation: `note:${source}`, value, source, scope: 'team', ...members };
    const reply = await node.request('POST', '/v1/facts', { key: insider, body });
    expect(reply.status, reply.text).to.equal(201);
    return reply.body.id as string;
  };
  /** Returns all replies that may come from the cache. */
  const answers = async (key: string): Promise<string[]> => {
    // Without vectors, which are still being computed.
    const body = { query: 'lantern', token_budget: 1_000, weights: { lexical: 1 } };
    const replies = [
      await node.request('POST', '/v1/recall', { key, body }),
      await node.request('POST', '/v1/recall', { key, body: { entity: 'house:a', token_budget: 1_000 } }),
      await node.request('GET', '/v1/facts?entity=house:a', { key }),
      await node.request('GET', `/v1/facts/${secretId}`, { key }),
      await node.request('GET', `/v1/facts/${openId}`, { key }),
    ];
    return replies.map(({ status, text }) => `${status} ${text.replace(OWN_ID, '')}`);
  };

  it('do not change the answers to other callers', async () => {
    const before = [await answers(outsider), await answers(narrow)];
    for (let time = 0; time < 2; time += 1) {
      expect((await answers(insider)).filter((text) => text.includes('cellar'))).to.have.length(4);
      expect([await answers(outsider), await answers(narrow)]).to.deep.equal(before);
    }
    expect(before.flat().join()).to.not.contain('cellar');
    expect(before[1]?.join()).to.not.contain('attic');
  });

  it('are hidden from callers who lose access, and shown again once they regain it', async () => {
    isDrawn = false;
    const shown = await answers(outsider);
    expect(shown.filter((text) => text.includes('cellar'))).to.have.length(4);
    isDrawn = true;
    expect((await answers(outsider)).join()).to.not.contain('cellar');
    isDrawn = false;
    expect(await answers(outsider)).to.deep.equal(shown);
  });

  it('are not found again once they are retracted', async () => {
    await answers(insider);
    await say('a lantern in the cellar', 'agent:secret', { confidence: 0 });
    const { body } = await node.request('POST', '/v1/recall', {
      key: insider,
      body: { query: 'lantern', token_budget: 1_000 },
    });
    const ids = (body.facts as { fact: { id: string } }[]).map(({ fact }) => fact.id);
    expect(ids).to.deep.equal([openId]);
  });
});
