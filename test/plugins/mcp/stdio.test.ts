import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'chai';
import { runInProcess } from '../../adapters/cli/run-in-process.ts';
import { type ServedNode, startServedNode } from '../../kit/start-served-node.ts';
import { type Loose, made, negotiationOf, REVISIONS, type Revision } from './mcp-kit.ts';

const PROGRAM = new URL('../../../config/main.js', import.meta.url).pathname;

describe('the command mcp', () => {
  let served: ServedNode;
  let url: string;
  before(async () => {
    served = await startServedNode();
    url = served.url;
  });
  after(() => served.stop());

  const start = async (revision: Revision, args: readonly string[] = [], at = served) => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'mcp', ...args],
      env: {
        PATH: process.env['PATH'] ?? '',
        SVC_URL: at.url,
        SVC_API_KEY: at.adminKey,
        XDG_CONFIG_HOME: served.folder,
      },
      stderr: 'pipe',
    });
    let told = '';
    transport.stderr?.on('data', (chunk) => {
      told += chunk;
    });
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: negotiationOf(revision) });
    await client.connect(transport);
    return { client, transport, told: () => told };
  };

  for (const revision of REVISIONS) {
    it(`offers the same tools, resources and prompts as HTTP by revision ${revision}`, async () => {
      const { client, told } = await start(revision);
      const { tools } = await client.listTools();
      expect(tools).to.have.lengthOf(9);
      const entity = `user:${revision}`;
      const { fact } = await made(client, 'assert', { entity, relation: 'memory:role', value: 'archivist' });
      expect(fact.source).to.equal('agent:admin');
      const overHttp = await served.ask('GET', `/v1/facts/${fact.id}`);
      expect(overHttp.body.entity).to.equal(entity);
      expect((await made(client, 'recall', { query: 'archivist' })).facts).not.to.deep.equal([]);
      const { contents } = await client.readResource({ uri: `memory://card/${encodeURIComponent(entity)}` });
      expect((contents[0] as Loose).text).to.include('archivist');
      expect((await client.getPrompt({ name: 'session_end' })).messages).to.have.lengthOf(1);
      const { confirm } = await made(client, 'forget', { fact_id: fact.id });
      expect(await made(client, 'forget', { fact_id: fact.id, confirm })).to.include({ status: 'forgotten' });
      await client.close();
      expect(told()).to.equal('');
    });
  }

  it('offers the extended tools, including lists, and no writing tools with --read-only', async () => {
    const { client } = await start('2026-07-28', ['--profile', 'extended', '--read-only']);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).to.include.members(['history', 'gardens', 'me']);
    expect(tools.map(({ name }) => name)).not.to.include.oneOf(['assert', 'assert_many', 'forget', 'resolve']);
    await served.ask('POST', '/v1/gardens', { slug: 'herbs', name: 'Herbs' });
    const { data } = await made(client, 'gardens');
    expect(data.items.map(({ slug }: Loose) => slug)).to.include('herbs');
    await client.close();
  });

  it('names the missing setting on standard error, and prints nothing on standard output', async () => {
    const env = { SVC_URL: url, XDG_CONFIG_HOME: served.folder };
    const wrongKey = await runInProcess(['mcp'], { env: { ...env, SVC_API_KEY: 'no-such-key-0123456789' } });
    expect(wrongKey).to.include({ exitCode: 0, stdout: '' });
    expect(wrongKey.stderr)
      .to.match(/refuses the key/)
      .and.to.match(/SVC_API_KEY/);
    expect(wrongKey.stderr).not.to.include('no-such-key');
    const keyFile = join(served.folder, 'wrong.key');
    await writeFile(keyFile, 'no-such-key-0123456789');
    const wrongFile = await runInProcess(['mcp', '--key-file', keyFile], { env });
    expect(wrongFile.stderr).to.match(/refuses the key in .*wrong\.key/);
    expect(wrongFile.stderr, 'the variable is not what to change').not.to.include('SVC_API_KEY');
    const noKey = await runInProcess(['mcp'], { env });
    expect(noKey.stderr).to.match(/sign in with "\S.* login"/);
    const noNode = await runInProcess(['mcp'], { env: { SVC_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'x' } });
    expect(noNode).to.include({ exitCode: 0, stdout: '' });
    expect(noNode.stderr).to.match(/no answer from http:\/\/127\.0\.0\.1:9/);
    const wrongProfile = await runInProcess(['mcp', '--profile', 'huge'], { env: { ...env, SVC_API_KEY: 'x' } });
    expect(wrongProfile).to.include({ exitCode: 1, stdout: '' });
  });

  it('ends when its standard input ends', async () => {
    const env = { SVC_URL: url, SVC_API_KEY: served.adminKey, XDG_CONFIG_HOME: served.folder };
    const ended = await runInProcess(['mcp'], { env, input: '' });
    expect(ended).to.deep.include({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('returns a tool error when the node is unreachable', async () => {
    const short = await startServedNode();
    const { client } = await start('2025-11-25', [], short).finally(() => short.stop());
    const result: Loose = await client.callTool({ name: 'query', arguments: { entity: 'user:x' } });
    expect(result.isError).to.equal(true);
    expect(result.structuredContent.error).to.include({ code: 'unavailable' });
    await client.close();
  });
});
