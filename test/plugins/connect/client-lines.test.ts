import { expect } from 'chai';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

describe('the lines that connect a client', () => {
  let node: TestNode;
  let key: string;
  before(async () => {
    node = await startTestNode({ plugins: ['connect', 'facts'] });
    key = await node.addKey({ permissions: ['read'] });
  });
  after(() => node.stop());

  const clients = async () => (await node.request('GET', '/v1/connect/clients', { key })).body.clients;

  it('name a file, a command and the place of the address for each client', async () => {
    const all = await clients();
    expect(all.map(({ name }: { name: string }) => name)).to.include.members(['claude-code', 'codex', 'zed']);
    for (const { name, files, command, text } of all) {
      expect(files, name).to.not.be.empty;
      expect(command).to.contain(`connect ${name} --url {address}`);
      expect(text, name).to.contain('{address}');
    }
  });

  it('hold no folder of the machine of the node', async () => {
    const text = JSON.stringify(await clients());
    expect(text).to.not.contain(process.cwd());
    expect(text).to.not.contain(process.env['HOME'] ?? process.cwd());
  });

  it('are well-formed: JSON by name, and TOML with a table', async () => {
    const all = await clients();
    const of = (wanted: string) => all.find(({ name }: { name: string }) => name === wanted).text;
    expect(JSON.parse(of('cursor'))).to.deep.equal({
      mcpServers: {
        'fact-memory': { url: '{address}/v1/mcp', headers: { Authorization: `Bearer \${env:SVC_API_KEY}` } },
      },
    });
    expect(of('codex')).to.equal(
      '[mcp_servers.fact-memory]\nurl = "{address}/v1/mcp"\nbearer_token_env_var = "SVC_API_KEY"\n',
    );
  });
});
