import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestNode } from '../../kit/start-test-node.ts';
import { fillTenant } from './filled-tenant.ts';
import { ADMIN_RIGHTS, startTenantsNode, type TenantsNode } from './tenants-node.ts';

/** More rows than one request deletes: eight transactions of 250 rows. */
const BATCHES = 2;
const FACTS_PER_BATCH = 1_000;
/** A time in which every periodic task of a node runs. */
const TURNS = 10;
const TURN_MS = 120_000;

/** Fills the tenant `acme` with everything, and with facts that refer to one another. Returns its key. */
const fillAcme = async (node: TenantsNode): Promise<string> => {
  const rights = { permissions: [...ADMIN_RIGHTS, 'instruction:write'], entityUri: 'agent:stranger' };
  await node.create('acme');
  const key = await node.addKey({ ...rights, tenantId: 'acme' });
  await fillTenant(async (status, method, path, body, headers = {}) => {
    const reply = await node.request(method, path, {
      key,
      headers: { ...headers },
      ...(body === undefined ? {} : { body }),
    });
    expect(reply.status, `${method} ${path}: ${reply.text}`).to.equal(status);
    return reply;
  }, 'lavender');
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const facts = Array.from({ length: FACTS_PER_BATCH }, (_, at) => ({
      entity: `user:n${batch * FACTS_PER_BATCH + at}`,
      relation: 'rel:knows',
      value: { type: 'ref', v: `user:hub${at % 7}` },
      source: 'agent:s',
      scope: 'company',
    }));
    await node.must(200, 'POST', '/v1/facts/batch', facts, key);
  }
  return key;
};

/** Recalls facts in two tenants, so that counts of both wait to be written. The erased one comes first. */
const recallInBoth = async (node: TenantsNode, acme: string): Promise<void> => {
  await node.say(node.operator, 'user:kept', 'keeps saffron');
  for (const key of [acme, node.operator]) {
    await comesTrue(async () => {
      const reply = await node.must(200, 'POST', '/v1/recall', { query: 'lavender saffron', token_budget: 500 }, key);
      return reply.body.facts.length > 0;
    });
  }
};

/** Begins the erasure of `acme`, which leaves rows behind. */
const beginErasure = async (node: TenantsNode): Promise<void> => {
  const begun = await node.must(202, 'DELETE', '/v1/tenants/acme', { confirm: 'acme' });
  expect(begun.body.status).to.equal('erasing');
};

const pass = async (node: TestNode): Promise<void> => {
  for (let turn = 0; turn < TURNS; turn += 1) await node.clock.advance(TURN_MS);
};

/** Warnings of entries that the audit leaves out, and of handlers that run while the test moves the clock. */
const HARMLESS = ['audit entries of a removed tenant were left out', 'a hook handler is slow'];

const failuresOf = (node: TestNode): string[] =>
  node.logLines
    .filter(({ level, message }) => (level === 'warn' || level === 'error') && !HARMLESS.includes(message))
    .map((line) => JSON.stringify(line));

const countedTenants = async (node: TestNode): Promise<string[]> => {
  const rows = await node.kernel.get(FactStore).table('recall_access').distinct('tenant_id');
  return (rows as { tenant_id: string }[]).map(({ tenant_id }) => tenant_id);
};

forEachStore('an erasure of a tenant that is interrupted', () => {
  let first: TenantsNode;
  beforeEach(async () => {
    first = await startTenantsNode();
  });
  afterEach(() => first.stop());

  it('keeps no other process from its start, which ends the erasure', async () => {
    const acme = await fillAcme(first);
    await recallInBoth(first, acme);
    await beginErasure(first);
    const second = await startTenantsNode({ folder: first.folder, url: 'http://localhost:8766' });
    try {
      await comesTrue(async () => {
        await second.clock.advance(1_000);
        return (await second.must(200, 'GET', '/v1/tenants/acme')).body.status === 'erased';
      });
      await pass(second);
      expect(failuresOf(second)).to.deep.equal([]);
    } finally {
      await second.stop();
    }
  });

  it('keeps no periodic task from the other tenants', async () => {
    const acme = await fillAcme(first);
    await recallInBoth(first, acme);
    await beginErasure(first);
    await pass(first);
    await comesTrue(async () => (await countedTenants(first)).length > 0);
    expect(await countedTenants(first)).to.deep.equal(['default']);
    expect(failuresOf(first)).to.deep.equal([]);
  });
});
