import { expect } from 'chai';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode } from '../../kit/start-test-node.ts';
import { NODE_URL, OAUTH_PLUGINS, startOAuthNode } from './oauth-kit.ts';

const ISSUER = 'https://idp.example/realms/one/';
const ROOT = '/.well-known/oauth-protected-resource';
type Settings = Readonly<Record<string, unknown>>;
const oidc = { enabled: true, issuerUrl: ISSUER, clientId: 'memory' };

describe('the issuers that a node names to remote clients', () => {
  const issuersOf = async (settings: Settings): Promise<unknown[]> => {
    const node = await startOAuthNode({}, { plugins: [...OAUTH_PLUGINS, 'oidc'], settings: { oidc: settings } });
    try {
      const documents = await Promise.all([`${ROOT}/v1/mcp`, ROOT].map((path) => node.request('GET', path)));
      return documents.map(({ body }) => body.authorization_servers);
    } finally {
      await node.stop();
    }
  };

  it('are the node itself, and also the identity provider if the node accepts its access tokens (RFC 9728)', async () => {
    const taking = await issuersOf({ ...oidc, accessTokenAudience: `${NODE_URL}/v1/mcp` });
    expect(taking).to.deep.equal([
      [NODE_URL, ISSUER],
      [ISSUER, NODE_URL],
    ]);
    expect(await issuersOf(oidc)).to.deep.equal([[NODE_URL], [ISSUER, NODE_URL]]);
  });
});

describe('a node that lacks the plugin keys', () => {
  const start = (settings: Readonly<Record<string, Settings>>) =>
    startTestNode({ plugins: ['facts', 'oauth', 'oidc'], url: NODE_URL, settings });

  it('starts while oauth and oidc are off, and replies as without these plugins', async () => {
    const node = await start({});
    try {
      const body = { id_token: 'x' };
      expect((await node.request('POST', '/v1/auth/oidc/exchange', { body })).status).to.equal(403);
      expect((await node.request('GET', '/oauth/authorize')).status).to.equal(404);
    } finally {
      await node.stop();
    }
  });

  it('refuses to start with one of them on', async () => {
    expect(String(await rejection(start({ oauth: { enabled: true } })))).to.match(/oauth is on.*no keys/);
    expect(String(await rejection(start({ oidc })))).to.match(/oidc is on.*no keys/);
  });
});
