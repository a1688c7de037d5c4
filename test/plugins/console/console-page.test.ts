import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectRoot } from '../../architecture/source-files.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

describe('the page of the console', () => {
  let node: TestNode;
  before(async () => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'node-info', 'console'] });
  });
  after(() => node.stop());

  const get = (path: string) => node.request('GET', path);
  /** Returns the paths of the files that the page at `/console/` loads at once. */
  const filesOf = (page: string): string[] =>
    [...page.matchAll(/(?:href|src)="(files\/[^"]*)"/g)].map(([, path]) => `/console/${path}`);

  it('is served without a key, under a policy that allows only files of this node', async () => {
    const { status, headers, text } = await get('/console/');
    expect(status).to.equal(200);
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
    expect(headers['content-security-policy']).to.equal(POLICY);
    expect(headers['referrer-policy']).to.equal('no-referrer');
    expect(text).to.not.match(/<script(?![^>]* src=)|<style|\son[a-z]+=|https?:/);
  });

  it('is the same at the address of every screen, so that links and reloads work', async () => {
    const { text } = await get('/console/');
    for (const path of ['/facts', '/entities?uri=svc%3A%2F%2Fh%2Fuser%2Falice']) {
      expect(await get(`/console${path}`)).to.deep.include({ status: 200, text });
    }
    for (const [path, folder] of Object.entries({ '': 'console/', '/no/such/screen': '../../' })) {
      const there = text.replaceAll('"files/', `"${folder}files/`).replace('"../spec', `"${folder}../spec`);
      expect(await get(`/console${path}`)).to.deep.include({ status: 200, text: there });
    }
  });

  it('loads files that browsers cache for ever, because their names change with their content', async () => {
    const paths = filesOf((await get('/console/')).text);
    expect(paths).to.have.lengthOf(2);
    for (const path of paths) {
      expect(path).to.match(/-[A-Z0-9]{8}\.(js|css)$/);
      const { status, headers } = await get(path);
      expect(status).to.equal(200);
      expect(headers['content-type']).to.match(/^text\/(javascript|css); charset=utf-8$/);
      expect(headers['cache-control']).to.equal('public, max-age=31536000, immutable');
    }
  });

  it('sends files compressed only to browsers that accept compression', async () => {
    const [path = ''] = filesOf((await get('/console/')).text).filter((each) => each.endsWith('.css'));
    const plain = await get(path);
    expect(plain.headers['content-encoding']).to.equal(undefined);
    const small = await node.request('GET', path, { headers: { 'Accept-Encoding': 'gzip, deflate, br' } });
    expect(small.headers).to.include({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    expect(plain.text).to.contain(':focus-visible');
    expect(small.text.length).to.be.below(plain.text.length / 2);
  });

  it('stays below 250 KiB in total', () => {
    const folder = join(projectRoot(), 'dist/plugins/console/files');
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.within(10_000, 250 * 1_024);
  });

  it('serves no other files, under any name', async () => {
    for (const name of ['none.js', 'files.json', '..%2Fconsole-plugin.js', '%2e%2e', '__proto__', 'a'.repeat(201)]) {
      expect((await get(`/console/files/${name}`)).status, name).to.be.oneOf([400, 404]);
    }
  });

  it('receives the routes of the node, and no more than the API reference publishes', async () => {
    const { body } = await get('/console/setup.json');
    expect(body.service).to.equal('svc');
    expect(body.routes).to.include('GET /v1/facts/{id}');
    expect(body.routes).to.not.include('POST /v1/recall');
    expect(body).to.deep.include({ screens: [], asks_for_key: true, has_sign_in: false });
    expect((await get('/console/sign-in.json')).body).to.deep.equal({ sign_in: null });
  });

  it('asks the node, not the reader, whether a key is required', async () => {
    const open = await startTestNode({
      plugins: ['keys', 'facts', 'node-info', 'console'],
      env: { SVC_AUTH_REQUIRED: 'false' },
    });
    try {
      expect((await open.request('GET', '/console/setup.json')).body.asks_for_key).to.equal(false);
    } finally {
      await open.stop();
    }
  });
});
