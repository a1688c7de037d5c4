import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openNode } from '../../config/open-node.ts';
import { runInProcess } from '../adapters/cli/run-in-process.ts';
import { describePlugin } from '../contract/plugin-contract.ts';
import { comesTrue } from '../kit/comes-true.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';
import { inTemporaryFolder } from '../kit/temporary-folder.ts';
import { acmeTickets } from './acme-tickets/acme-tickets-plugin.ts';

describePlugin({ plugin: acmeTickets });

const fact = (ticket: string | null, entity = 'user:alice') => ({
  entity,
  relation: 'memory:role',
  value: { type: 'string', v: 'CEO' },
  source: 'agent:x',
  confidence: 1,
  scope: 'company',
  ...(ticket === null ? {} : { ticket }),
});

forEachStore('A third-party feature in one folder', () => {
  let node: TestNode;
  let writer: string;
  before(async () => {
    node = await startTestNode({ extra: [acmeTickets] });
    writer = await node.addKey();
  });
  after(() => node.stop());

  const assert = (body: object) => node.request('POST', '/v1/facts', { key: writer, body });

  it('adds a member to assertion bodies and to returned facts', async () => {
    const stored = await assert(fact('T-1'));
    expect([stored.status, stored.body['ticket']]).to.deep.equal([201, 'T-1']);
    const plain = await assert(fact(null, 'user:bob'));
    expect(plain.body['ticket']).to.equal(null);
    const listed = await node.request('GET', '/v1/facts?entity=user:alice', { key: writer });
    expect((listed.body['facts'] as { ticket: string }[])[0]?.ticket).to.equal('T-1');
    const refused = await assert(fact('seventeen'));
    expect([refused.status, refused.body['code']]).to.deep.equal([422, 'validation']);
  });

  it('adds a permission that keys can have and a route requires', async () => {
    const refused = await node.request('POST', '/v1/tickets/T-1/close', { key: writer });
    expect(refused.status).to.equal(403);
    const closer = await node.addKey({ permissions: ['read', 'tickets.close'] });
    const accepted = await node.request('POST', '/v1/tickets/T-1/close', { key: closer });
    expect(accepted.status).to.equal(202);
  });

  it('closes a ticket in the background, and then refuses facts with its own error code', async () => {
    let asked = 0;
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      asked += 1;
      return (await assert(fact('T-1', `user:waiting-${asked}`))).status === 409;
    });
    const refused = await assert(fact('T-1', 'user:carol'));
    expect([refused.status, refused.body['code']]).to.deep.equal([409, 'ticket_closed']);
    expect((await assert(fact('T-2', 'user:carol'))).status).to.equal(201);
  });
});

describe('A third-party command', () => {
  it('is part of the command line of a node whose configuration names the plugin', () =>
    inTemporaryFolder(async (folder) => {
      const from = fileURLToPath(new URL('./acme-tickets/acme-tickets-plugin.js', import.meta.url));
      const config = join(folder, 'node.json');
      const adapters = { store: { use: 'sqlite', path: join(folder, 'node.db') } };
      await writeFile(config, JSON.stringify({ adapters, plugins: { 'acme-tickets': { from } } }));
      const run = (...argv: string[]) => runInProcess([...argv, '--config', config], { env: {}, openNode });
      expect((await run('init')).exitCode).to.equal(0);
      const { exitCode, stdout } = await run('tickets', 'closed');
      expect([exitCode, stdout.trim()]).to.deep.equal([0, 'TICKET  FACTS']);
      expect((await run('tickets', '--help')).stdout).to.contain('list closed tickets');
    }));
});
