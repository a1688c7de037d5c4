import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { bundleClient } from '../client/bundle.ts';
import { type Browser, isBrowserInstalled, launchBrowser, type Page } from '../kit/browser.ts';
import { type ServedNode, startServedNode } from '../kit/start-served-node.ts';

/** Serves an empty page and, beside it, the client module. */
const servePage = async (): Promise<Server> => {
  const { code } = await bundleClient();
  const server = createServer((request, response) => {
    const isScript = request.url === '/client.js';
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? code : '<!doctype html><title>page</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

/** Runs a script in the page, with `client` and all exports of its module in scope. */
const inPage = (page: Page, options: object, body: string): Promise<unknown> =>
  page.evaluate(`(async () => {
    const module = await import('/client.js');
    const client = new module.FactClient(${JSON.stringify(options)});
    ${body}
  })()`);

if (isBrowserInstalled()) {
  describe('the client in a browser', function () {
    this.timeout(180_000);
    let server: Server;
    let served: ServedNode;
    let browser: Browser;
    let page: Page;
    let port: number;
    let options: object;

    before(async () => {
      server = await servePage();
      ({ port } = server.address() as AddressInfo);
      served = await startServedNode({
        SVC_CORS_ALLOWED_ORIGINS: `http://127.0.0.1:${port}`,
        SVC_WEBHOOK_ALLOW_PRIVATE: 'true',
      });
      options = { url: served.url, key: served.adminKey, source: 'agent:page', retries: 0 };
      browser = await launchBrowser();
      page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${port}/`);
    });
    after(async () => {
      await browser?.close();
      await served?.stop();
      server?.close();
    });

    it('asserts, contradicts, recalls with a proof, and resolves', async () => {
      const seen = await inPage(
        page,
        options,
        `const fact = { entity: 'svc://page.example/user/a b', relation: 'memory:role' };
        const first = await client.assert({ ...fact, value: 'archivist' });
        const second = await client.assert({ ...fact, value: 'gardener' });
        const [conflict] = await client.conflicts().take(1);
        const before = await client.recall({ query: 'archivist', scope: 'company' });
        const { conflict_status } = await client.resolve(conflict.conflict_id, { winning_fact_id: first.id });
        const after = await client.recall({ query: 'archivist', scope: 'company' }, { verify: 'full' });
        const values = [];
        for await (const { value } of client.query({ entity: fact.entity, limit: 1 })) values.push(value.v);
        return {
          contradicted: second.contradicted,
          before: before.facts.length,
          conflict_status,
          after: after.facts.map(({ fact }) => fact.value.v),
          isProven: after.chain_proof !== null,
          values: [...new Set(values)],
        };`,
      );
      expect(seen).to.deep.equal({
        contradicted: true,
        before: 0,
        conflict_status: 'resolved',
        after: ['archivist'],
        isProven: true,
        values: ['archivist'],
      });
    });

    it('reads events as they occur', async () => {
      const seen = await inPage(
        page,
        options,
        `const { entity_uri: me } = await client.me();
        const target = 'svc://page.example/project/atlas';
        const { token_json: capability } = await client.call('POST /v1/federation/capability-tokens', {
          body: { issuer: me, subject: me, verb: 'subscribe', object: target },
        });
        const body = { target, on_change: 'webhook', webhook_url: 'http://127.0.0.1:${port}/hook' };
        const { id, secret } = await client.subscriptions.create(body, { capability });
        const say = (v) => client.assert({ entity: target, relation: 'memory:n' + v, value: v });
        await say(1);
        const [kept] = await client.subscriptions.replay(id).take(1);
        await say(2);
        const values = [];
        for await (const { fact } of client.subscriptions.events(id, { after: kept.id })) {
          if (values.push(fact.value.v) === 3) break;
          await say(values.length + 2);
        }
        return { hasSecret: secret.startsWith('whsec_'), values };`,
      );
      expect(seen).to.deep.equal({ hasSecret: true, values: [2, 3, 4] });
    });

    it('throws the errors of the node, with the data of their headers', async () => {
      const seen = await inPage(
        page,
        options,
        `const stranger = new module.FactClient({ url: ${JSON.stringify(served.url)}, key: 'nobody', retries: 0 });
        const missing = await client.fact('nothing').catch((error) => error);
        const refused = await stranger.me().catch((error) => error);
        return [missing, refused].map(({ name, status, requestId }) => [name, status, requestId.length > 0]);`,
      );
      expect(seen).to.deep.equal([
        ['NotFoundError', 404, true],
        ['AuthenticationError', 401, true],
      ]);
    });

    it('gets no answer in a page of another origin', async () => {
      const other = await browser.newPage();
      await other.goto(`http://localhost:${port}/`);
      const code = await inPage(other, options, 'return (await client.me().catch((error) => error)).code;');
      expect(code).to.equal('connection');
    });
  });
} else {
  console.log('The client is not tested in a browser: run "npm ci --prefix test/browser" for that.');
}
