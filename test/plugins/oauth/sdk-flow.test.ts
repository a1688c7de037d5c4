import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestNode } from '../../kit/start-test-node.ts';
import { negotiationOf, REVISIONS } from '../mcp/mcp-kit.ts';
import {
  answerOf,
  CALLBACK,
  DOCUMENT,
  decide,
  NODE_URL,
  type OAuthNode,
  serveDocument,
  signIn,
  startOAuthNode,
} from './oauth-kit.ts';
import { RememberingClient } from './remembering-client.ts';

/** Returns a `fetch` that sends requests to the test node. */
const fetchFrom =
  (node: TestNode) =>
  async (input: string | URL, init: RequestInit = {}) => {
    const url = new URL(String(input));
    const headers: [string, string][] = [];
    new Headers(init.headers).forEach((value, name) => void headers.push([name, value]));
    const { method = 'GET', body } = init;
    const reply = await node.request(method, `${url.pathname}${url.search}`, {
      headers,
      ...(body != null && { body: String(body) }),
    });
    return new Response([202, 204].includes(reply.status) ? null : reply.text, {
      status: reply.status,
      headers: reply.headers,
    });
  };

forEachStore('the OAuth client of the MCP SDK', () => {
  let node: OAuthNode;
  let key: string;

  before(async () => {
    node = await startOAuthNode();
    await serveDocument(node.network);
    key = await node.addKey({ entityUri: 'user:alice' });
  });
  after(() => node.stop());

  const transportFor = (authProvider: OAuthClientProvider) =>
    new StreamableHTTPClientTransport(new URL(`${NODE_URL}/v1/mcp`), { authProvider, fetch: fetchFrom(node) });

  for (const revision of REVISIONS) {
    for (const way of ['metadata document', 'registration'] as const) {
      it(`gets access after a 401 and calls a tool, by ${way}, in revision ${revision}`, async () => {
        const provider = new RememberingClient(CALLBACK, way === 'metadata document' ? DOCUMENT : undefined);
        const client = () =>
          new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: negotiationOf(revision) });
        const first = transportFor(provider);
        const refused = await client()
          .connect(first)
          .catch((error: unknown) => error);
        expect(refused).to.be.instanceOf(UnauthorizedError);
        expect(provider.information?.client_id === DOCUMENT).to.equal(way === 'metadata document');
        const answer = answerOf(await decide(node, await signIn(node, provider.sentTo?.search.slice(1) ?? '', key)));
        expect(answer.get('state')).to.equal('a-state');
        await first.finishAuth(answer);
        const connected = client();
        await connected.connect(transportFor(provider));
        const { isError } = await connected.callTool({
          name: 'assert',
          arguments: { entity: 'user:alice', relation: 'memory:role', value: revision },
        });
        expect(isError).to.not.equal(true);
        await connected.close();
      });
    }
  }
});
