import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { appendJudge, ServiceError } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type RelationsNode, startRelationsNode } from './relations-node.ts';

const SCOPES = ['company', 'public'] as const;

forEachStore('a place that refuses facts about conflicts while a changed rule is followed', () => {
  let isRefusing: boolean;
  let node: RelationsNode;
  beforeEach(async () => {
    isRefusing = true;
    const refusing = defineOwnPlugin({
      name: 'refusing',
      setup({ on }) {
        on(appendJudge, ({ items }) => {
          for (const item of items) {
            const { system, relationKey, scope } = item.fact;
            if (!isRefusing || !system || scope !== 'company' || !relationKey.startsWith('svc:conflict:')) continue;
            item.reject(new ServiceError('validation', 'no conflicts here'), 'place');
          }
          return undefined;
        });
      },
    });
    node = await startRelationsNode({ extra: [refusing] });
  });
  afterEach(() => node.stop());

  const scopesOf = async (): Promise<readonly string[]> =>
    (await node.conflicts()).map(({ fact_a: fact }) => fact.scope).sort();
  const sayAll = async (): Promise<void> => {
    for (const scope of SCOPES) for (const v of ['tea', 'coffee']) await node.say(v, { scope });
  };

  it('does not hold up the conflicts that open elsewhere', async () => {
    await node.rule('memory:likes', 'many');
    await sayAll();
    await node.rule('memory:likes', 'one');
    await node.settled();
    expect(await scopesOf()).to.deep.equal(['public']);
  });

  it('does not hold up the conflicts that close elsewhere', async () => {
    isRefusing = false;
    await sayAll();
    expect(await scopesOf()).to.deep.equal(['company', 'public']);
    isRefusing = true;
    await node.rule('memory:likes', 'many');
    await node.settled();
    const listed = await node.request('GET', '/v1/facts?relation=svc:conflict:status&limit=10', { key: node.key });
    const told = listed.body.facts.map(({ scope, value }: { scope: string; value: { v: string } }) => [scope, value.v]);
    expect(told).to.deep.include.members([['public', 'resolved']]);
    expect(told).to.not.deep.include(['company', 'resolved']);
  });
});
