import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadNodeConfig } from '../../config/node-config.ts';
import { inTemporaryFolder } from '../kit/temporary-folder.ts';

const messagesFor = (text: string, env: Record<string, string> = {}): Promise<string[]> =>
  inTemporaryFolder(async (folder) => {
    const configFile = join(folder, 'node.json');
    await writeFile(configFile, text);
    const { problems } = await loadNodeConfig({ configFile, env });
    return problems.map(({ message, hint }) => (hint === undefined ? message : `${message} / ${hint}`));
  });
const messages = (file: unknown): Promise<string[]> => messagesFor(JSON.stringify(file));

describe('the configuration', () => {
  it('has the documented defaults without a file and without variables', async () => {
    const { node, store, transport, plugins, problems } = await loadNodeConfig({ env: {} });
    expect(problems).to.deep.equal([]);
    expect(node).to.deep.equal({
      serviceName: 'svc',
      displayName: 'Fact memory',
      url: 'http://localhost:8765',
      authRequired: true,
      allowInsecure: false,
      maxBodyBytes: 2_097_152,
      trustedProxies: [],
      logLevel: 'info',
      workers: 1,
      cacheMiB: 'auto',
      maxStampLeadS: 300,
      drainDelayS: 0,
    });
    expect([store.adapter.name, store.settings]).to.deep.equal(['sqlite', { path: 'data/svc.db', writer: 'auto' }]);
    expect(transport.settings).to.deep.equal({
      host: '127.0.0.1',
      port: 8765,
      corsAllowedOrigins: [],
      corsDevLocalhost: false,
      compression: true,
    });
    expect(plugins.map(({ name }) => name)).to.deep.equal([
      'attestation',
      'audit',
      'backup',
      'billing',
      'capability-tokens',
      'cards',
      'conflicts',
      'connect',
      'console',
      'decay',
      'demo',
      'fact-chain',
      'facts',
      'federation',
      'gardens',
      'graph',
      'importers',
      'instructions',
      'jobs',
      'keys',
      'lint',
      'mcp',
      'metrics',
      'multi-tenant',
      'namespaces',
      'node-info',
      'oauth',
      'oidc',
      'openapi',
      'rate-limits',
      'recall',
      'relations',
      'scaffold',
      'search',
      'source-trust',
      'subscriptions',
      'synthesis',
      'time-travel',
      'tombstones',
      'tracing',
      'transfer',
      'upkeep',
    ]);
  });

  it('advertises the port on which the node listens, unless the operator names an address', async () => {
    const urlWith = async (env: Record<string, string>): Promise<unknown[]> => {
      const { node, report } = await loadNodeConfig({ env });
      const shown = report.find(({ owner, key }) => owner === 'node' && key === 'url');
      expect(shown?.value).to.equal(node.url);
      return [node.url, shown?.origin];
    };
    expect(await urlWith({ SVC_PORT: '9400' })).to.deep.equal(['http://localhost:9400', 'derived']);
    expect(await urlWith({ SVC_PORT: '8765' })).to.deep.equal(['http://localhost:8765', 'default']);
    expect(await urlWith({ SVC_PORT: '0' })).to.deep.equal(['http://localhost:8765', 'default']);
    expect(await urlWith({ SVC_PORT: '9400', SVC_NODE_URL: 'https://a.example' })).to.deep.equal([
      'https://a.example',
      'environment',
    ]);
  });

  it('accepts every variable of the node and its adapters', async () => {
    const { node, store, transport, problems } = await loadNodeConfig({
      env: {
        SVC_SERVICE_NAME: 'mem-1',
        SVC_DISPLAY_NAME: 'Our memory',
        SVC_NODE_ID: 'svc://node.alpha.example',
        SVC_NODE_URL: 'https://alpha.example',
        SVC_AUTH_REQUIRED: 'False',
        SVC_ALLOW_INSECURE: '1',
        SVC_MAX_BODY_BYTES: '4096',
        SVC_LOG_LEVEL: 'error',
        SVC_WORKERS: 'auto',
        SVC_CACHE_MIB: '200',
        SVC_HOST: '0.0.0.0',
        SVC_PORT: '0',
        SVC_DB_PATH: '/data/x.db',
        SVC_FEDERATION_HLC_MAX_FUTURE_SKEW_S: '60',
        SVC_TRUSTED_PROXIES: '10.0.0.0/8, fd00::1',
        SVC_CORS_ALLOWED_ORIGINS: 'https://a.example,https://b.example',
        SVC_DRAIN_DELAY_S: '2',
        SVC_CORS_DEV_LOCALHOST: 'TRUE',
      },
    });
    expect(problems).to.deep.equal([]);
    expect(node).to.deep.equal({
      serviceName: 'mem-1',
      displayName: 'Our memory',
      id: 'svc://node.alpha.example',
      url: 'https://alpha.example',
      authRequired: false,
      allowInsecure: true,
      maxBodyBytes: 4096,
      trustedProxies: ['10.0.0.0/8', 'fd00::1'],
      logLevel: 'error',
      workers: 'auto',
      cacheMiB: 200,
      maxStampLeadS: 60,
      drainDelayS: 2,
    });
    expect([store.adapter.name, store.settings]).to.deep.equal(['sqlite', { path: '/data/x.db', writer: 'auto' }]);
    expect(transport.settings).to.deep.equal({
      host: '0.0.0.0',
      port: 0,
      corsAllowedOrigins: ['https://a.example', 'https://b.example'],
      corsDevLocalhost: true,
      compression: true,
    });
  });

  const wrong: Readonly<Record<string, readonly string[]>> = {
    SVC_DISPLAY_NAME: ['x'.repeat(41)],
    SVC_SERVICE_NAME: ['Svc', '1svc', 'a_b', 'x'.repeat(33), 'svc '],
    SVC_NODE_ID: ['has space', 'ü'],
    SVC_NODE_URL: [
      ...['localhost:8765', 'ftp://x.example', '/path', 'http://', 'http://me:secret@x.example'],
      ...['https://x.example/?a=1', 'https://x.example/memory#b', 'https://x.example?'],
    ],
    SVC_AUTH_REQUIRED: ['yes', 'no', 'off', '2', 'truee'],
    SVC_ALLOW_INSECURE: ['on'],
    SVC_MAX_BODY_BYTES: ['2MB', '-1', '0', '1e9999', '99999999999999999999'],
    SVC_LOG_LEVEL: ['verbose', 'INFO'],
    SVC_WORKERS: ['0', '65', '-1', '1.5', 'many', 'AUTO'],
    SVC_PORT: ['-1', '65536', '80.5', 'http', '0x50'],
    SVC_CORS_ALLOWED_ORIGINS: ['a.example', '*', 'https://a.example/path'],
    SVC_CORS_DEV_LOCALHOST: ['maybe'],
  };
  for (const [variable, values] of Object.entries(wrong)) {
    it(`refuses an invalid ${variable}, and names it without printing its value`, async () => {
      for (const value of values) {
        const { problems } = await loadNodeConfig({ env: { [variable]: value } });
        expect(
          problems.map(({ message }) => message.split(' accepts ')[0]),
          value,
        ).to.deep.equal([variable]);
        expect(problems[0]?.message).not.to.include(` ${value}`);
      }
    });
  }

  it('prefers the options of a program to variables, and variables to the file', () =>
    inTemporaryFolder(async (folder) => {
      const configFile = join(folder, 'node.json');
      await writeFile(
        configFile,
        JSON.stringify({ node: { maxBodyBytes: 2000, logLevel: 'warn', url: 'http://file.example' } }),
      );
      const { node } = await loadNodeConfig({
        configFile,
        env: { SVC_MAX_BODY_BYTES: '3000', SVC_LOG_LEVEL: 'error' },
        overrides: { node: { maxBodyBytes: 4000 } },
      });
      expect(node).to.include({ maxBodyBytes: 4000, logLevel: 'error', url: 'http://file.example' });
    }));

  it('enables and disables plugins, and passes their settings to them', () =>
    inTemporaryFolder(async (folder) => {
      const configFile = join(folder, 'node.json');
      const plugins = {
        billing: false,
        audit: true,
        conflicts: { mode: 'strict' },
        acme: { from: './acme.js', url: 'x' },
      };
      await writeFile(configFile, JSON.stringify({ plugins }));
      const config = await loadNodeConfig({ configFile, env: {} });
      expect(config.disabled).to.deep.equal(['billing']);
      expect(config.plugins.find(({ name }) => name === 'conflicts')?.file).to.deep.equal({ mode: 'strict' });
      expect(config.plugins.find(({ name }) => name === 'acme')).to.deep.equal({
        name: 'acme',
        from: './acme.js',
        file: { url: 'x' },
        overrides: undefined,
      });
      expect(config.folder).to.equal(folder);
    }));

  it('distinguishes a missing file, invalid JSON and a value that is no object', async () => {
    const { problems } = await loadNodeConfig({ configFile: '/nowhere/node.json', env: {} });
    expect(problems[0]?.message).to.equal('there is no configuration file /nowhere/node.json');
    const broken = await messagesFor('{\n "node": { "logLevel": secret }\n}');
    expect(broken[0]).to.include('the configuration file is not valid JSON').and.not.include('secret');
    expect(await messages([1])).to.deep.equal(['the configuration file must hold a JSON object']);
    expect(await messages(null)).to.deep.equal(['the configuration file must hold a JSON object']);
  });

  it('refuses unknown settings, with a suggestion', async () => {
    expect(await messages({ plugin: {} })).to.deep.equal(['plugin is not a setting / did you mean plugins?']);
    expect(await messages({ adapters: { stor: {} } })).to.deep.equal([
      'adapters.stor is not a setting / did you mean store?',
    ]);
    expect(await messages({ adapters: { store: { use: 'oracle' } } })).to.deep.equal([
      'adapters.store.use accepts one of postgres, sqlite',
    ]);
    expect(await messages({ adapters: { store: { file: 'x' } } })).to.deep.equal([
      'adapters.store.file is not a setting / it takes path, writer',
    ]);
    expect(await messages({ plugins: { billin: false } })).to.deep.equal([
      'there is no plugin named "billin" / did you mean billing?',
    ]);
    expect((await messages({ plugins: { acme: {} } }))[0]).to.include('a third party\'s needs "from"');
    expect((await messages({ plugins: { constructor: true } }))[0]).to.include(
      'there is no plugin named "constructor"',
    );
    expect((await messagesFor('{"plugins":{"__proto__":true}}'))[0]).to.include('there is no plugin named "__proto__"');
  });

  it('refuses values of the wrong type', async () => {
    expect(await messages({ node: [] })).to.deep.equal(['node accepts a JSON object']);
    expect(await messages({ adapters: { store: 'sqlite' } })).to.deep.equal(['adapters.store accepts a JSON object']);
    expect(await messages({ plugins: { facts: 'yes' } })).to.deep.equal([
      'plugins.facts accepts true, false, or a JSON object of settings',
    ]);
    expect(await messages({ plugins: { acme: { from: 1 } } })).to.deep.equal([
      'plugins.acme.from accepts a path or the name of a package',
    ]);
  });

  it('collects all problems', async () => {
    const found = await messagesFor(JSON.stringify({ nodes: {}, node: { logLevel: 1 }, plugins: { nope: true } }), {
      SVC_PORT: 'x',
    });
    expect(found).to.have.length(4);
  });

  it('accepts addresses and networks of proxies, and names the variable of an invalid one', async () => {
    const problemsFor = async (proxies: string) =>
      (await loadNodeConfig({ env: { SVC_TRUSTED_PROXIES: proxies } })).problems.map(({ message }) => message);
    expect(await problemsFor('127.0.0.1,10.0.0.0/8 ::1,fd00::/8')).to.deep.equal([]);
    for (const bad of ['proxy.example', '10.0.0.0/33', '10.0.0', '::1/129', 'fe80::1%eth0', '*', '10.0.0.1/', '/8']) {
      expect(await problemsFor(`127.0.0.1,${bad}`), bad).to.deep.equal([
        'SVC_TRUSTED_PROXIES accepts a list of: an IP address or a network such as 10.0.0.0/8',
      ]);
    }
  });

  it('accepts origins of any scheme, and names the variable of an invalid one', async () => {
    const problemsFor = async (origins: string) =>
      (await loadNodeConfig({ env: { SVC_CORS_ALLOWED_ORIGINS: origins } })).problems.map(({ message }) => message);
    const good = [
      'https://app.example',
      'http://[::1]:3000',
      'app://obsidian.md',
      'tauri://localhost',
      'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
      'moz-extension://2f1c9d1e-9a53-4d3f-8a53-0d9f6a1b2c3d',
    ];
    expect(await problemsFor(good.join(', '))).to.deep.equal([]);
    const bad = ['*', 'null', 'app.example', 'https://', 'https://a.example/', 'https://a.example/path', 'https://*'];
    for (const origin of [...bad, 'https://a.example:99999', 'https://u:p@a.example', '//a.example', 'https://a?b=c']) {
      expect(await problemsFor(`https://app.example,${origin}`), origin).to.deep.equal([
        'SVC_CORS_ALLOWED_ORIGINS accepts a list of: an origin, scheme://host or scheme://host:port',
      ]);
    }
  });
});
