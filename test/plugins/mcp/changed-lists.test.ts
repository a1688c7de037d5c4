import { expect } from 'chai';
import { connectServer } from '../../../adapters/cli/command-server.ts';
import { createSystemRandom } from '../../../adapters/random/system-random.ts';
import type { CommandServer } from '../../../kernel/command-api.ts';
import { ServiceError } from '../../../kernel/plugin-api.ts';
import { createGate } from '../../kit/create-gate.ts';
import { freePort } from '../../kit/free-port.ts';
import { startServedNode } from '../../kit/start-served-node.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { connectClient, type Loose, made, REVISIONS } from './mcp-kit.ts';
import { connectOverStdio, type StdioClient } from './stdio-client.ts';

const READING = ['card', 'conflicts', 'fact', 'neighbors', 'query', 'recall'];
const READ_KEY = 'a-key-that-may-only-read-0123456789';

const namesIn = async ({ client }: Pick<StdioClient, 'client'>): Promise<string[]> => {
  const { tools } = await client.listTools();
  return tools.map(({ name }) => name).sort();
};

const textOf = ({ content }: Loose): string => content.map(({ text }: Loose) => text).join('\n');

/** A node whose replies wait for `open`. */
const gated = (node: TestNode, key: string): Pick<CommandServer, 'send'> & { open(): void } => {
  const { passed: opened, open } = createGate();
  return {
    open: () => open(),
    async send({ method, path }) {
      await opened;
      const { status, text, headers } = await node.request(method, path, { key });
      return {
        status,
        text,
        document: text === '' ? {} : JSON.parse(text),
        header: (name) => headers[name.toLowerCase()],
      };
    },
  };
};

describe('the tool list of the MCP server on standard input and output', () => {
  let node: TestNode;
  before(async () => {
    node = await startTestNode();
  });
  after(() => node.stop());

  for (const revision of REVISIONS) {
    it(`shrinks to the rights of the key once a slow node replies, by revision ${revision}`, async () => {
      const server = gated(node, await node.addKey({ permissions: ['read'] }));
      const talk = await connectOverStdio(server, revision);
      expect(talk.client.getServerCapabilities()?.tools).to.deep.equal({ listChanged: true });
      expect(await namesIn(talk)).to.include.members([...READING, 'assert']);
      expect(talk.changes).to.deep.equal([]);
      server.open();
      await talk.changed;
      expect(await namesIn(talk)).to.deep.equal(READING);
      expect(talk.changes).to.deep.equal([READING]);
      await talk.stop();
    });

    it(`gets no change notification if it stays the same or was never read, by revision ${revision}`, async () => {
      const writes = gated(node, await node.addKey());
      const reads = gated(node, await node.addKey({ permissions: ['read'] }));
      const [equal, unlisted] = [await connectOverStdio(writes, revision), await connectOverStdio(reads, revision)];
      const listed = await namesIn(equal);
      for (const [server, talk] of [
        [writes, equal],
        [reads, unlisted],
      ] as const) {
        server.open();
        await talk.ready();
        expect(await namesIn(talk)).to.deep.equal(talk === equal ? listed : READING);
        expect(talk.changes).to.deep.equal([]);
        await talk.stop();
      }
    });
  }

  it('is requested from the node again until the node replies', async () => {
    const server = gated(node, await node.addKey({ permissions: ['read'] }));
    let isUp = false;
    const send: CommandServer['send'] = (request) =>
      isUp ? server.send(request) : Promise.reject(new ServiceError('unavailable', 'down'));
    const talk = await connectOverStdio({ send }, '2025-11-25');
    expect(await namesIn(talk)).to.include('assert');
    isUp = true;
    expect(await namesIn(talk)).to.include('assert');
    server.open();
    await talk.changed;
    expect(await namesIn(talk)).to.deep.equal(READING);
    expect(talk.changes).to.deep.equal([READING]);
    await talk.stop();
  });

  it('has no change notifications over HTTP', async () => {
    const client = await connectClient(node, await node.addKey());
    expect(client.getServerCapabilities()?.tools).to.deep.equal({ listChanged: false });
    await client.close();
  });
});

describe('the command mcp that starts before its node', () => {
  it('names the missing node in errors, works with the next call, and then narrows the tools to the key', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const server = await connectServer({}, { env: { SVC_URL: url, SVC_API_KEY: READ_KEY } }, createSystemRandom());
    const talk = await connectOverStdio(server, '2025-11-25');
    const asked = { name: 'query', arguments: { entity: 'user:x' } };
    const refused: Loose = await talk.client.callTool(asked);
    expect(refused.isError).to.equal(true);
    expect(refused.structuredContent.error.code).to.equal('unavailable');
    expect(textOf(refused))
      .to.include(`no answer from ${url}`)
      .and.to.match(/Hint: start the node .* SVC_URL/);
    const served = await startServedNode({ SVC_NODE_URL: url });
    try {
      const key = { raw_key: READ_KEY, entity_uri: 'agent:reader', permissions: ['read'] };
      expect((await served.ask('POST', '/v1/auth/keys', key)).status).to.equal(201);
      expect((await made(talk.client, 'query', { entity: 'user:x' })).total).to.equal(0);
      expect(await namesIn(talk)).to.deep.equal(READING);
    } finally {
      await talk.stop();
      await served.stop();
    }
  });
});
