import { expect } from 'chai';
import { importConsoleModule } from '../kit/console-module.ts';
import { type PrefixProxy, startPrefixProxy } from '../kit/prefix-proxy.ts';
import { type ServedNode, startServedNode } from '../kit/start-served-node.ts';
import { startTestNode } from '../kit/start-test-node.ts';
import { askFor, CALLBACK, fieldOf, form, VERIFIER } from '../plugins/oauth/oauth-kit.ts';

const PREFIX = '/memory';
const PAGE = { Accept: 'text/html' };

interface Place {
  consolePath(): string;
  nodeUrl(): string;
}

describe('a node behind a proxy that serves it below a path', () => {
  let served: ServedNode;
  let proxy: PrefixProxy;
  before(async () => {
    served = await startServedNode({ SVC_OAUTH_ENABLED: 'true', SVC_OAUTH_INSECURE: 'true' });
    proxy = await startPrefixProxy(PREFIX, served.url);
  });
  after(async () => {
    await proxy?.close();
    await served?.stop();
  });

  /** Returns the addresses that a page names, as a browser resolves them. */
  const addressesIn = (pageUrl: string, text: string): readonly string[] =>
    [...text.matchAll(/\s(?:href|src|action)="([^"#][^"]*)"/g)]
      .map(([, address = '']) => new URL(address, pageUrl).href)
      .filter((address) => !address.startsWith('data:'));

  for (const path of ['/', '/spec', '/console', '/console/', '/console/facts', '/console/facts/', '/console/no/such']) {
    it(`names only addresses that exist below that path, on the page ${path}`, async () => {
      const page = await fetch(proxy.url + path, { headers: PAGE });
      expect(page.status).to.equal(200);
      const addresses = addressesIn(page.url, await page.text());
      expect(addresses).to.not.deep.equal([]);
      for (const address of addresses) {
        const { status, url } = await fetch(address);
        expect([status, url.startsWith(`${proxy.url}/`)], address).to.deep.equal([200, true]);
      }
    });
  }

  it('lists its documents as JSON by addresses below that path', async () => {
    const entrance = await fetch(`${proxy.url}/`);
    const { links } = (await entrance.json()) as { readonly links: readonly { readonly href: string }[] };
    for (const { href } of links) {
      const { status, url } = await fetch(new URL(href, entrance.url));
      expect([status, url.startsWith(`${proxy.url}/`)], href).to.deep.equal([200, true]);
    }
  });

  it('leads a person through the pages of OAuth consent, and back to the client', async () => {
    const registered = await fetch(`${proxy.url}/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_name: 'Assistant', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
    });
    const { client_id: clientId } = (await registered.json()) as { readonly client_id: string };
    const submit = (page: { url: string; text: string }, fields: Parameters<typeof form>[0], cookie = '') =>
      fetch(addressesIn(page.url, page.text)[0] ?? '', {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Cookie: cookie },
        body: form(fields),
        redirect: 'manual',
      });
    const read = async (reply: Response) => ({ url: reply.url, text: await reply.text() });
    const query = askFor(clientId, { resource: undefined });
    const asking = await read(await fetch(`${proxy.url}/oauth/authorize?${query}`));
    const offered = await submit(asking, { request: fieldOf(asking, 'request'), key: served.adminKey });
    const cookie = offered.headers.get('set-cookie')?.split(';')[0];
    const offer = await read(offered);
    const choice = { decision: 'allow', permission: ['read'], scope: ['local'], days: '30' };
    const decided = await submit(offer, { ticket: fieldOf(offer, 'ticket'), ...choice }, cookie);
    expect([offered.status, decided.status]).to.deep.equal([200, 303]);
    const code = new URL(decided.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const redeemed = await fetch(`${proxy.url}/oauth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: form({
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        redirect_uri: CALLBACK,
        code_verifier: VERIFIER,
      }),
    });
    expect(redeemed.status).to.equal(200);
  });

  it('serves console scripts that find the node by their own address alone', async () => {
    for (const node of ['https://memory.example', 'https://host.example/memory', 'http://host.example:8080/a/b']) {
      const { consolePath, nodeUrl } = await importConsoleModule<Place>(
        'kit/platform.ts',
        `${node}/console/files/main-N4ZALSPJ.js`,
      );
      expect([nodeUrl(), consolePath()]).to.deep.equal([node, new URL(`${node}/console/`).pathname]);
    }
  });

  it('writes the path of SVC_NODE_URL into its documents', async () => {
    const url = 'https://host.example/memory';
    const node = await startTestNode({ url, plugins: ['keys', 'node-info', 'openapi'] });
    try {
      const { body: metadata } = await node.request('GET', '/.well-known/svc');
      expect(metadata).to.include({ node_url: url, spec: `${url}/spec` });
      expect((await node.request('GET', '/openapi.json')).body.servers).to.deep.equal([{ url }]);
    } finally {
      await node.stop();
    }
  });
});
