import { inspect } from 'node:util';
import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../../config/plugin-catalog.ts';
import { maskKeys } from '../../../ports/mask-keys.ts';
import { runInProcess } from '../../adapters/cli/run-in-process.ts';
import { ALL_PERMISSIONS } from '../../kit/all-permissions.ts';
import { nextClient, TRUSTS_TEST } from '../../kit/next-client.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/** Keys of every form that a node draws or accepts. */
const KEYS: Readonly<Record<string, string>> = {
  hexadecimal: '3f9a'.repeat(16),
  base64url: 'Zk3_-Qx9'.repeat(6).slice(0, 43),
  base64: `${'aB3/+9Zq'.repeat(5)}xY7=`,
  'of plain words': 'correct-horse-battery-staple-and-more',
  'with dots': 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZ2VudDphIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg',
};

interface Operation {
  readonly method: string;
  readonly path: string;
  /** The names of its declared query parameters. */
  readonly query: readonly string[];
}

type Parameter = { readonly in: string; readonly name: string };

describe('A caller puts a key into a path or a name by mistake (I19)', () => {
  let node: TestNode;
  let key: string;
  let operations: Operation[];

  before(async () => {
    node = await startTestNode({ plugins: Object.keys(PLUGIN_CATALOG), node: TRUSTS_TEST });
    key = await node.addKey({ permissions: [...ALL_PERMISSIONS] });
    const { paths } = (await node.request('GET', '/v1/openapi.json', { key })).body;
    const { routes } = await node.node.describe();
    operations = routes.map(({ method, path }) => {
      const described = paths[path.replace(/[:*]([a-z_]+)/g, '{$1}')]?.[method.toLowerCase()];
      const parameters: readonly Parameter[] = described?.parameters ?? [];
      return { method, path, query: parameters.filter((one) => one.in === 'query').map(({ name }) => name) };
    });
    expect(operations.filter(({ query }) => query.length > 0).length).to.be.above(20);
  });
  after(() => node?.stop());

  /** Returns the errors that hold the secret, as sent or decoded. */
  const leaksOf = async (method: string, target: string, secret: string, body?: unknown): Promise<string[]> => {
    const headers = { 'X-Forwarded-For': nextClient() };
    const signal = AbortSignal.timeout(5_000);
    const reply = await node.request(method, target, { key, headers, signal, ...(body === undefined ? {} : { body }) });
    const forms = [secret, encodeURIComponent(secret), encodeURIComponent(encodeURIComponent(secret))];
    const isLeak = reply.status >= 400 && forms.some((form) => reply.text.includes(form));
    return isLeak ? [`${method} ${target}: ${reply.text}`] : [];
  };

  const targetsOf = ({ path, query }: Operation, secret: string): string[] => {
    const sent = encodeURIComponent(secret);
    const filled = (text: string) => path.replace(/[:*][a-z_]+/g, text);
    const values = ['nonsense', ...query].map((name) => `${filled('x')}?${name}=${sent}`);
    return [filled(sent), `${filled(sent)}/${sent}`, `${filled('x')}/${secret}`, `${filled('x')}?${sent}=1`, ...values];
  };

  for (const [form, secret] of Object.entries(KEYS)) {
    it(`and the reply of no route repeats it: ${form}`, async () => {
      const leaks: string[] = [];
      for (const operation of operations) {
        const { method, path } = operation;
        for (const target of targetsOf(operation, secret)) leaks.push(...(await leaksOf(method, target, secret)));
        if (method === 'GET' || method === 'DELETE') continue;
        const target = path.replace(/[:*][a-z_]+/g, 'x');
        const named = { [secret]: 1, fields: [secret], value: { [secret]: 1 } };
        for (const body of [named, [named], { facts: [named] }]) {
          leaks.push(...(await leaksOf(method, target, secret, body)));
        }
      }
      expect(leaks.slice(0, 10), `${leaks.length} leaks`).to.deep.equal([]);
    });
  }

  it('and the answer of no tool for agents repeats it', async () => {
    const leaks: string[] = [];
    for (const secret of Object.values(KEYS)) {
      const calls = [
        { method: secret },
        { method: 'tools/call', params: { name: secret, arguments: {} } },
        { method: 'tools/call', params: { name: 'recall', arguments: { [secret]: 1 } } },
        { method: 'resources/read', params: { uri: secret } },
        { method: 'prompts/get', params: { name: secret } },
        { method: 'tools/list', params: { cursor: secret } },
      ];
      for (const call of calls) {
        const { text } = await node.request('POST', '/v1/mcp', { key, body: { jsonrpc: '2.0', id: 1, ...call } });
        if (text.includes(secret)) leaks.push(`${JSON.stringify(call)}: ${text}`);
      }
    }
    expect(leaks).to.deep.equal([]);
  });

  it('and the reply repeats the key that authenticates the request nowhere, not even as request id', async () => {
    const headers = { 'X-Request-Id': key };
    for (const target of [`/v1/facts/${key}`, `/v1/${key}`, `/v1/facts?${key}=1`, `/v1/facts?limit=${key}`]) {
      const reply = await node.request('GET', target, { key, headers });
      expect(reply.status).to.be.at.least(400);
      expect(reply.text + JSON.stringify(reply.headers)).not.to.include(key);
    }
  });

  it('and the log does not contain it', () => {
    const log = inspect(node.logLines, { depth: 20, maxStringLength: null, maxArrayLength: null });
    expect([...Object.values(KEYS), key].filter((secret) => log.includes(secret))).to.deep.equal([]);
  });

  it('and ids of facts and tombstones and existing names are not masked', async () => {
    const id = '01928374-5566-7788-99aa-bbccddeeff00';
    const erase = `/v1/tombstones/tomb_${id}/erase`;
    expect((await node.request('POST', erase, { key, body: {} })).body.instance).to.equal(erase);
    expect((await node.request('GET', `/v1/facts/${id}`, { key })).body.instance).to.equal(`/v1/facts/${id}`);
    expect((await node.request('GET', '/v1/facts?limits=1', { key })).text).to.include('query.limits');
    expect(maskKeys(`the fact ${id} has the content sha256:${'0a'.repeat(32)}`)).not.to.include('***');
  });

  it('and no error message of the command line repeats it', async () => {
    const leaks: string[] = [];
    for (const secret of Object.values(KEYS)) {
      const lines = [
        [secret],
        ['query', `--${secret}`],
        ['query', '--scope', secret],
        ['key', secret],
        ['start', secret],
      ];
      for (const argv of lines) {
        const { exitCode, stdout, stderr } = await runInProcess(argv);
        expect(exitCode, argv.join(' ')).not.to.equal(0);
        if ((stdout + stderr).includes(secret)) leaks.push(`${argv.join(' ')}: ${stdout}${stderr}`);
      }
    }
    expect(leaks).to.deep.equal([]);
  });
});
