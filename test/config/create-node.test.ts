import { expect } from 'chai';
import { createNode } from '../../config/create-node.ts';
import { PLUGIN_CATALOG, suggestProvider } from '../../config/plugin-catalog.ts';
import { unusedVariables } from '../../config/unused-variables.ts';
import { isLoopbackHost } from '../../kernel/net/loopback-host.ts';
import { rejection } from '../kit/rejection.ts';
import { startTestNode } from '../kit/start-test-node.ts';

describe('the composition root', () => {
  it('assembles the default node: it stores a fact and returns it', async () => {
    const node = await startTestNode();
    const key = await node.addKey();
    const body = {
      entity: 'user:alice',
      relation: 'memory:role',
      value: { type: 'string', v: 'CEO' },
      source: 'agent:me',
    };
    expect((await node.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
    const found = await node.request('GET', '/v1/facts?entity=user:alice', { key });
    expect(found.body.facts).to.have.length(1);
    expect((await node.request('GET', '/healthz')).body).to.deep.equal({ status: 'ok' });
    const errors = node.logLines.filter(({ level }) => level === 'error' || level === 'warn');
    expect(errors).to.deep.equal([]);
    await node.stop();
  });

  it('has its facts, its identity and its keys again after a restart', async () => {
    const first = await startTestNode();
    const key = await first.addKey();
    const body = {
      entity: 'user:alice',
      relation: 'memory:role',
      value: { type: 'string', v: 'CEO' },
      source: 'agent:me',
    };
    await first.request('POST', '/v1/facts', { key, body });
    const metadata = (await first.request('GET', '/.well-known/svc')).body;
    await first.node.stop();
    const second = await startTestNode({ folder: first.folder });
    expect((await second.request('GET', '/v1/facts?entity=user:alice', { key })).body.total).to.equal(1);
    expect((await second.request('GET', '/.well-known/svc')).body).to.deep.equal(metadata);
    await second.stop();
    await first.stop();
  });

  it('states in the metadata whether requests need a key, with and without the plugin that checks them', async () => {
    const authOf = async (plugins: string[], authRequired: boolean) => {
      const node = await startTestNode({ plugins, node: { authRequired } });
      const { auth } = (await node.request('GET', '/.well-known/svc')).body;
      await node.stop();
      return auth;
    };
    expect(await authOf(['node-info', 'keys'], true)).to.equal('required');
    expect(await authOf(['node-info', 'keys'], false)).to.equal('none');
    expect(await authOf(['node-info'], false)).to.equal('none');
  });

  it('is unhealthy when its store is unhealthy', async () => {
    const node = await startTestNode({ plugins: ['node-info'] });
    const { FactStore } = await import('../../ports/ports.ts');
    await node.kernel.get(FactStore).close();
    expect((await node.request('GET', '/healthz')).status).to.equal(503);
    await node.stop();
  });

  it('gives plugins the settings of the node and its adapters from every source', async () => {
    const node = await startTestNode({ plugins: ['node-info'], env: { SVC_CORS_DEV_LOCALHOST: '1' } });
    expect((await node.request('GET', '/.well-known/svc')).body.cors).to.deep.equal({
      dev_localhost: true,
      configured: false,
    });
    const { settings } = await node.node.describe();
    const file = settings.find(({ key }) => key === 'privateKeyFile');
    expect(file?.value).to.equal(`${node.folder}/node.key`);
    await node.stop();
  });

  it('describes routes, hooks, tables and settings, without any secret', async () => {
    const secret = 'bootstrap-key-0123456789';
    const node = await startTestNode({ env: { SVC_BOOTSTRAP_KEY: secret } });
    const description = await node.node.describe();
    expect(description.plugins.map(({ name }) => name)).to.have.members(Object.keys(PLUGIN_CATALOG));
    expect(description.routes.map(({ method, path }) => `${method} ${path}`)).to.include.members([
      'POST /v1/facts',
      'GET /v1/me',
    ]);
    expect(description.hooks.map(({ hook }) => hook)).to.include('fact:appended');
    expect(description.tables).to.deep.include({ name: 'facts', plugin: 'core' });
    expect(description.tables).to.deep.include({ name: 'keys_api_keys', plugin: 'keys' });
    expect(description.settings.find(({ key }) => key === 'bootstrapKey')).to.include({
      value: '(set)',
      origin: 'environment',
    });
    expect(JSON.stringify(description)).not.to.include(secret);
    await node.stop();
  });

  it('serves its routes under /v1, except those for health, discovery and pages', async () => {
    const node = await startTestNode();
    const { routes } = await node.node.describe();
    const tops = routes.map(({ path }) => path.split('/')[1]);
    expect(tops.filter((top) => top === 'v1').length).to.be.above(80);
    expect([...new Set(tops)].sort()).to.deep.equal(
      ['', '.well-known', 'console', 'healthz', 'openapi.json', 'readyz', 'spec', 'v1'].sort(),
    );
    await node.stop();
  });

  it('refuses to serve without keys on a public address', async () => {
    const start = (env: Record<string, string>) =>
      startTestNode({ plugins: [], env: { SVC_AUTH_REQUIRED: 'false', ...env } });
    const error = await rejection(start({ SVC_HOST: '0.0.0.0' }));
    expect(error.message).to.include('listens on an address that others can reach');
    for (const env of [{ SVC_HOST: '127.0.0.1' }, { SVC_HOST: '0.0.0.0', SVC_ALLOW_INSECURE: 'true' }])
      await (await start(env)).stop();
  });

  it('reports variables that nothing reads, and still starts', async () => {
    const env = { SVC_CONFLICT_MOD: 'strict', SVC_URL: 'http://x.example', OTHER: '1' };
    const node = await startTestNode({ plugins: ['conflicts', 'facts'], env });
    const warnings = node.logLines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ fields }) => fields)).to.deep.equal([
      { variable: 'SVC_CONFLICT_MOD', hint: 'did you mean SVC_CONFLICT_MODE?' },
    ]);
    await node.stop();
  });

  it('does not import a disabled plugin', async () => {
    const error = await rejection(
      createNode({ env: {}, overrides: { plugins: { acme: { from: './not-there.js' } } } }),
    );
    expect(error.message).to.include('plugins.acme.from');
    const off = { acme: false, keys: true } as const;
    expect((await rejection(createNode({ env: {}, overrides: { plugins: off } }))).message).to.include(
      'no plugin named "acme"',
    );
  });
});

describe('the parts of the composition', () => {
  it('recognise loopback addresses in all spellings', () => {
    const loopback = [
      '127.0.0.1',
      '127.9.9.9',
      'localhost',
      'LOCALHOST',
      '::1',
      '[::1]',
      '0:0:0:0:0:0:0:1',
      '::ffff:127.0.0.1',
    ];
    const open = [
      '0.0.0.0',
      '::',
      '10.0.0.1',
      '128.0.0.1',
      'example.com',
      'localhost.example',
      '127.0.0.1.example',
      '::ffff:10.0.0.1',
      '',
    ];
    for (const host of loopback) expect(isLoopbackHost(host), host).to.equal(true);
    for (const host of open) expect(isLoopbackHost(host), host).to.equal(false);
  });

  it('distinguish unused variables of the node from those of other programs', () => {
    const env = {
      SVC_PROT: '1',
      SVC_PORT: '1',
      SVC_API_KEY: 'k',
      SVC_TEST_X: '1',
      PATH: '/bin',
      SVC_SOMETHING_ELSE: '1',
    };
    expect(unusedVariables(env, ['SVC_PORT', undefined])).to.deep.equal([
      { name: 'SVC_PROT', near: 'SVC_PORT' },
      { name: 'SVC_SOMETHING_ELSE', near: undefined },
    ]);
  });

  it('know which bundled plugin provides a service', async () => {
    for (const [name, load] of Object.entries(PLUGIN_CATALOG)) {
      const plugin = await load();
      expect(plugin.name).to.equal(name);
      for (const { id } of plugin.provides ?? []) expect(suggestProvider(id), id).to.equal(name);
    }
    expect(suggestProvider('acme.service')).to.equal(undefined);
  });
});
