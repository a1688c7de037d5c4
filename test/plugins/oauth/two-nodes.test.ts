import { expect } from 'chai';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestNode } from '../../kit/start-test-node.ts';
import { giveAccess, type OAuthNode, refresh, startOAuthNode, statusWith } from './oauth-kit.ts';

forEachStore('a grant on several processes of one store (I16)', () => {
  let first: OAuthNode;
  let second: TestNode;
  before(async () => {
    first = await startOAuthNode();
    const { clock, folder } = first;
    // Both nodes have one address, as behind a proxy, because tokens are valid at one address alone.
    second = await startOAuthNode({ registration: false }, { clock, folder, random: createSeededRandom(2) });
  });
  after(async () => {
    await second.stop();
    await first.stop();
  });

  /** The ways in which access ends on the first node. */
  const ENDS = {
    'its person ends it': async (key: string) => {
      const { grants } = (await first.request('GET', '/v1/oauth/grants', { key })).body;
      return first.request('DELETE', `/v1/oauth/grants/${grants[0].id}`, { key });
    },
    'the key of its person is revoked': async (key: string) => {
      const [{ id }] = (await first.request('GET', '/v1/auth/keys', { key })).body;
      return first.request('DELETE', `/v1/auth/keys/${id}`, { key });
    },
  };
  for (const [reason, end] of Object.entries(ENDS)) {
    it(`ends with the next request on every process when ${reason}`, async () => {
      const { access, refresh: token, key } = await giveAccess(first, { entityUri: `user:${reason.length}` });
      expect([await statusWith(first, access), await statusWith(second, access)]).to.deep.equal([200, 200]);
      expect((await end(key)).status).to.equal(204);
      expect([await statusWith(second, access), await statusWith(first, access)]).to.deep.equal([401, 401]);
      expect((await refresh(second, first.clientId, token)).body.error).to.equal('invalid_grant');
    });
  }
});
