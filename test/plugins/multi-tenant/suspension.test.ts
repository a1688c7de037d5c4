import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { FIRST_RETRY_MS } from '../../../kernel/plugins/followed-signal.ts';
import { JobQueue } from '../../../plugins/jobs/jobs-api.ts';
import { type FactStore, ServiceError } from '../../../ports/ports.ts';
import { createLoopbackNetwork } from '../../fakes/loopback-network.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode } from '../../kit/start-test-node.ts';
import { ADMIN_RIGHTS, rawKey, startTenantsNode, type TenantsNode } from './tenants-node.ts';

const TARGET = 'svc://localhost/project/atlas';

/** Records the tenants whose jobs were run. */
const createWorker = () => {
  const done: string[] = [];
  const plugin = defineOwnPlugin({
    name: 'test-worker',
    requires: { jobs: JobQueue },
    setup: ({ use }) =>
      use.jobs.handle('test.note', {
        run: async ({ tenantId }) => {
          done.push(tenantId);
          return {};
        },
      }),
  });
  return { done, plugin };
};

forEachStore('a suspended tenant', () => {
  it('gets no job started until it is resumed', async () => {
    const worker = createWorker();
    const node = await startTenantsNode({ extra: [worker.plugin] });
    try {
      await node.create('acme');
      await node.create('other');
      await node.must(200, 'PATCH', '/v1/tenants/acme', { status: 'suspended' });
      const jobs = node.kernel.get(JobQueue);
      for (const tenantId of ['acme', 'other']) await jobs.enqueue({ type: 'test.note', tenantId, creator: 'agent:x' });
      const looks = async (): Promise<void> => node.clock.advance(1_000);
      await comesTrue(async () => {
        await looks();
        return worker.done.length > 0;
      });
      expect(worker.done).to.deep.equal(['other']);
      await node.must(200, 'PATCH', '/v1/tenants/acme', { status: 'active' });
      await comesTrue(async () => {
        await looks();
        return worker.done.includes('acme');
      });
    } finally {
      await node.stop();
    }
  });

  it('gets no event delivered until it is resumed, and then gets all of them', async () => {
    const network = createLoopbackNetwork();
    const received: string[] = [];
    for (const tenant of ['acme', 'other']) {
      await network.transport(`https://${tenant}.example`).serve({
        endpoints: [
          {
            method: 'POST',
            path: '/in',
            handle: async () => {
              received.push(tenant);
              return { status: 200, headers: {} };
            },
          },
        ],
        unmatched: async () => ({ status: 404, headers: {} }),
      });
    }
    const node = await startTenantsNode({ network });
    try {
      const keys = new Map<string, string>();
      for (const tenantId of ['acme', 'other']) {
        const key = await node.addKey({ entityUri: 'agent:sub', permissions: ADMIN_RIGHTS, tenantId });
        keys.set(tenantId, key);
        await subscribe(node, key, `https://${tenantId}.example/in`);
      }
      // These facts precede the suspension. Their undelivered events wait.
      const said = [...keys.values()].map((key) => node.say(key, TARGET, 'green'));
      await Promise.all(said);
      await node.must(200, 'PATCH', '/v1/tenants/acme', { status: 'suspended' });
      await comesTrue(async () => {
        await node.clock.advance(1_000);
        return received.includes('other');
      });
      expect(received).not.to.include('acme');
      await node.must(200, 'PATCH', '/v1/tenants/acme', { status: 'active' });
      await comesTrue(async () => {
        await node.clock.advance(1_000);
        return received.includes('acme');
      });
    } finally {
      await node.stop();
    }
  });

  it('is refused by every process on the store, and accepted again by all after it is resumed', async () => {
    const first = await startTenantsNode();
    const other = await startTenantsNode({ folder: first.folder, url: 'http://localhost:8766' });
    try {
      const acme = await first.create('acme');
      const status = async () => (await other.request('GET', '/v1/me', { key: acme })).status;
      const becomes = (expected: number) =>
        comesTrue(async () => {
          // An engine without notifications finds signals by polling.
          await other.clock.advance(1_000);
          return (await status()) === expected;
        });
      await becomes(200);
      await first.must(200, 'PATCH', '/v1/tenants/acme', { status: 'suspended' });
      await becomes(403);
      await first.must(200, 'PATCH', '/v1/tenants/acme', { status: 'active' });
      await becomes(200);
      await first.must(200, 'DELETE', '/v1/tenants/acme', { confirm: 'acme' });
      await becomes(401);
    } finally {
      await other.stop();
      await first.stop();
    }
  });

  it('is refused by a process that could not read the suspension at first', async () => {
    const node = await startTenantsNode();
    let isDown = false;
    const wrapStore = (store: FactStore): FactStore =>
      new Proxy(store, {
        get(target, name) {
          if (isDown && name === 'read') return () => Promise.reject(new ServiceError('unavailable', 'a failover'));
          const member: unknown = Reflect.get(target, name);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
    const random = createSeededRandom(2);
    const settings = { 'multi-tenant': { enabled: true } };
    const other = await startTestNode({ settings, folder: node.folder, random, wrapStore });
    try {
      const key = await node.create('acme');
      isDown = true;
      await node.must(200, 'PATCH', '/v1/tenants/acme', { status: 'suspended' });
      await comesTrue(async () => {
        await other.clock.advance(1_000);
        return other.logLines.some(({ message }) => /could not be taken in/.test(message));
      });
      isDown = false;
      await comesTrue(async () => {
        await other.clock.advance(FIRST_RETRY_MS);
        return (await other.request('GET', '/v1/facts', { key })).status === 403;
      });
    } finally {
      await other.stop();
      await node.stop();
    }
  });

  it('gets no new key, and keeps its existing ones', async () => {
    const node = await startTenantsNode();
    try {
      const acme = await node.create('acme');
      await node.must(200, 'PATCH', '/v1/tenants/acme', { status: 'suspended' });
      const body = { raw_key: rawKey('second'), entity_uri: 'agent:b' };
      await node.must(403, 'POST', '/v1/auth/keys', body, acme);
      await node.must(200, 'PATCH', '/v1/tenants/acme', { status: 'active' });
      await node.must(201, 'POST', '/v1/auth/keys', body, acme);
    } finally {
      await node.stop();
    }
  });
});

forEachStore('the ledger of one tenant', () => {
  it('is readable for operators only, not for other tenants', async () => {
    const node = await startTenantsNode();
    try {
      const acme = await node.create('acme');
      const id = await node.say(acme, 'user:x', 'charged');
      const path = '/v1/admin/billing/events?tenant_id=';
      const { body } = await node.must(200, 'GET', `${path}acme`);
      expect(body.events.map(({ fact_id }: { fact_id: string }) => fact_id)).to.deep.equal([id]);
      expect(body.events[0].tenant_id).to.equal('acme');
      expect((await node.must(200, 'GET', `${path}default`)).body.total).to.equal(0);
      expect((await node.must(200, 'GET', `${path}acme`, undefined, acme)).body.total).to.equal(1);
      await node.must(403, 'GET', `${path}default`, undefined, acme);
      await node.must(403, 'GET', `${path}no-such`, undefined, acme);
      await node.must(404, 'GET', `${path}no-such`);
    } finally {
      await node.stop();
    }
  });
});

const subscribe = async (node: TenantsNode, key: string, webhook_url: string): Promise<void> => {
  const token = { issuer: 'agent:sub', subject: 'agent:sub', verb: 'subscribe', object: TARGET };
  const issued = await node.must(201, 'POST', '/v1/federation/capability-tokens', token, key);
  const reply = await node.request('POST', '/v1/subscriptions', {
    key,
    headers: { 'X-Svc-Capability': issued.body.token_json },
    body: { target: TARGET, on_change: 'webhook', webhook_url },
  });
  expect(reply.status, reply.text).to.equal(201);
};
