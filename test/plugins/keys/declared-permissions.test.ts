import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { definePermission } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const rawKey = (name: string): string => name.padEnd(40, '0');

const SPEND = definePermission('budget.spend', { summary: 'spend from the budget' });

const budget = defineOwnPlugin({
  name: 'budget',
  declares: [SPEND],
  setup({ route }) {
    route({
      method: 'POST',
      path: '/v1/budget/spend',
      summary: 'Spends',
      access: { permission: SPEND },
      bodyForm: 'none',
      answers: { 204: {} },
      handle: () => ({ status: 204 }),
    });
  },
});

forEachStore('a permission that a plugin declares', () => {
  it('is valid in keys while the plugin is enabled, and is stored without effect otherwise', async () => {
    const first = await startTestNode({ plugins: ['keys', budget] });
    const { folder } = first;
    const admin = await first.addKey({ permissions: ['read', 'admin', 'budget.spend'] });
    const spender = rawKey('spender');
    const body = { raw_key: spender, entity_uri: 'agent:spender', permissions: ['read', 'budget.spend'] };
    expect((await first.request('POST', '/v1/auth/keys', { key: admin, body })).status).to.equal(201);
    const reader = await first.addKey({ permissions: ['read'] });
    const spend = async (node: typeof first, key: string) => node.request('POST', '/v1/budget/spend', { key });
    expect((await spend(first, spender)).status).to.equal(204);
    const refused = await spend(first, reader);
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'authorization']);
    expect(refused.body.detail).to.include('"budget.spend"');

    const without = await startTestNode({ plugins: ['keys'], folder });
    const me = async (node: typeof first) => (await node.request('GET', '/v1/me', { key: spender })).body.permissions;
    expect(await me(without)).to.deep.equal(['read']);
    const listed = await without.request('GET', '/v1/auth/keys', { key: spender });
    expect(listed.body[0].permissions).to.deep.equal(['budget.spend', 'read']);
    const again = { ...body, raw_key: rawKey('again') };
    expect((await without.request('POST', '/v1/auth/keys', { key: admin, body: again })).status).to.equal(422);
    await without.stop();

    expect(await me(first)).to.deep.equal(['budget.spend', 'read']);
    expect((await spend(first, spender)).status).to.equal(204);
    await first.stop();
  });
});
