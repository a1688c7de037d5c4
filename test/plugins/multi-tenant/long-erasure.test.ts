import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { sampleFact } from '../../kit/fact-samples.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTenantsNode, type TenantsNode } from './tenants-node.ts';

/** File name of the store in the test folder. */
const STORE_FILE = 'node.db';
/** More rows than one request deletes: eight transactions of 250 rows. */
const MANY = 2_600;

const fill = async (node: TenantsNode, count: number): Promise<void> => {
  const facts = Array.from({ length: count }, (_, at) => sampleFact(at + 1, { tenantId: 'acme' }));
  await node.kernel.get(FactStore).write('acme', (transaction) => transaction.insert(facts));
};

const countRows = async (node: TenantsNode): Promise<number> => {
  const rows = await node.kernel.get(FactStore).table('facts').where({ tenant_id: 'acme' }).count({ n: '*' });
  return Number((rows as { n: number | string }[])[0]?.n);
};

forEachStore('the erasure of a large tenant', () => {
  it('runs as a job, shows its progress, and ends with a receipt', async () => {
    const node = await startTenantsNode();
    try {
      await node.create('acme');
      await fill(node, MANY);
      const begun = await node.must(202, 'DELETE', '/v1/tenants/acme', { confirm: 'acme' });
      expect(begun.body.status).to.equal('erasing');
      expect(begun.body.erasure.receipt).to.equal(null);
      expect(begun.body.erasure.rows.facts).to.be.within(1, MANY - 1);
      const job = `/v1/jobs/${begun.body.erasure.job_id}`;
      expect((await node.must(200, 'GET', job)).body).not.to.have.property('progress');
      await comesTrue(async () => {
        await node.clock.advance(1_000);
        return (await node.must(200, 'GET', '/v1/tenants/acme')).body.status === 'erased';
      });
      const { erasure } = (await node.must(200, 'GET', '/v1/tenants/acme')).body;
      expect(erasure.receipt.erased.facts).to.equal(MANY);
      expect(await countRows(node)).to.equal(0);
      await comesTrue(async () => (await node.must(200, 'GET', job)).body.status === 'done');
      const { progress } = (await node.must(200, 'GET', job)).body;
      expect(progress.total).to.equal(null);
      expect(progress.done).to.be.at.least(MANY);
      const lesser = await node.addKey({ entityUri: 'agent:operator', permissions: ['read'] });
      const seen = await node.request('GET', job, { key: lesser });
      expect([seen.status, seen.body.progress]).to.deep.equal([200, undefined]);
    } finally {
      await node.stop();
    }
  });

  it('resumes after a crash, and counts every row once', async () => {
    const first = await startTenantsNode();
    try {
      await first.create('acme');
      await fill(first, MANY);
      await first.must(202, 'DELETE', '/v1/tenants/acme', { confirm: 'acme' });
      const left = await countRows(first);
      expect(left).to.be.within(1, MANY - 1);
      await first.node.stop();
      const second = await startTenantsNode({ folder: first.folder });
      try {
        await comesTrue(async () => {
          await second.clock.advance(1_000);
          return (await second.must(200, 'GET', '/v1/tenants/acme')).body.status === 'erased';
        });
        const { erasure } = (await second.must(200, 'GET', '/v1/tenants/acme')).body;
        expect(erasure.receipt.erased.facts).to.equal(MANY);
        expect(await countRows(second)).to.equal(0);
      } finally {
        await second.stop();
      }
    } finally {
      await first.stop();
    }
  });
});

describe('a tenant that was erased after the backup from which the node is restored', () => {
  it('is erased again when the node starts', async () => {
    const first = await startTenantsNode({ store: 'sqlite' });
    const file = join(first.folder, 'backup.db');
    try {
      const acme = await first.create('acme');
      await first.say(acme, 'user:x', 'xylograph');
      const store = join(first.folder, STORE_FILE);
      await first.node.stop();
      await copyFile(store, file);
      const second = await startTenantsNode({ folder: first.folder, store: 'sqlite' });
      await second.must(200, 'DELETE', '/v1/tenants/acme', { confirm: 'acme' });
      await second.node.stop();
      await rename(file, store);
      const third = await startTenantsNode({ folder: first.folder, store: 'sqlite' });
      await third.must(401, 'GET', '/v1/me', undefined, acme);
      await comesTrue(async () => {
        await third.clock.advance(1_000);
        return (await third.must(200, 'GET', '/v1/tenants/acme')).body.status === 'erased';
      });
      expect(await countRows(third)).to.equal(0);
      await third.node.stop();
    } finally {
      await first.stop();
    }
  });
});

forEachStore('tenants that exist before the directory of tenants', () => {
  it('are added as active tenants at the first use of the directory', async () => {
    const first = await startTenantsNode({ settings: { 'multi-tenant': { enabled: false } } });
    try {
      await first.kernel
        .get(FactStore)
        .write('old-one', (transaction) => transaction.insert([sampleFact(1, { tenantId: 'old-one' })]));
      const second = await startTenantsNode({ folder: first.folder, url: 'http://localhost:8766' });
      try {
        const { body } = await second.must(200, 'GET', '/v1/tenants/old-one');
        expect(body).to.include({ id: 'old-one', status: 'active' });
        expect(body.counts).to.include({ facts: 1, keys: 0 });
      } finally {
        await second.stop();
      }
    } finally {
      await first.stop();
    }
  });
});
