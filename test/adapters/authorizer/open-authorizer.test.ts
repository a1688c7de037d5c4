import { expect } from 'chai';
import { createOpenAuthorizer } from '../../../adapters/authorizer/open-authorizer.ts';
import { describeAuthorizer } from '../../contract/authorizer-contract.ts';
import { createKeyRing } from '../../fakes/key-ring.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const holder = {
  entityUri: 'agent:a',
  tenantId: 'default',
  permissions: new Set(['read'] as const),
  allowedScopes: new Set(['team'] as const),
};
const token = 'a-key-that-is-good-for-something';

describeAuthorizer('the open authorizer', async () => {
  const ring = createKeyRing();
  ring.add(token, holder);
  return {
    authorizer: createOpenAuthorizer(ring.authorizer),
    token,
    holder: { entityUri: holder.entityUri, tenantId: holder.tenantId },
    anybody: { kind: 'anonymous', entityUri: 'anon:trusted' },
  };
});

describeAuthorizer('the key ring of the tests', async () => {
  const ring = createKeyRing();
  ring.add(token, holder);
  return {
    authorizer: ring.authorizer,
    token,
    holder: { entityUri: holder.entityUri, tenantId: holder.tenantId },
    anybody: null,
  };
});

describe('a node without authentication', () => {
  it('lets every caller read, write and federate in every scope, but administer nothing', async () => {
    const principal = await createOpenAuthorizer(undefined).authenticate(null);
    expect([...principal.permissions]).to.deep.equal(['read', 'write', 'federate']);
    expect([...principal.allowedScopes]).to.deep.equal(['local', 'team', 'company', 'public']);
    expect(principal).to.include({ tenantId: 'default', keyId: null, oidcSub: null });
  });

  it('refuses a key when no authorizer can check it', async () => {
    expect(() => createOpenAuthorizer(undefined).authenticate('any')).to.throw('the API key is not valid');
  });

  it('acts for the holder of a valid key, and refuses an invalid one', async () => {
    const node = await startTestNode({ plugins: ['keys', 'audit'], node: { authRequired: false } });
    const key = await node.addKey({ entityUri: 'agent:known', permissions: ['read'] });
    expect((await node.request('GET', '/v1/me')).body).to.include({ entity_uri: 'anon:trusted' });
    expect((await node.request('GET', '/v1/me', { key })).body).to.include({ entity_uri: 'agent:known' });
    expect((await node.request('GET', '/v1/me', { key: `${key}x` })).status).to.equal(401);
    await node.stop();
  });
});
