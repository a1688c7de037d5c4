import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode } from '../../kit/start-test-node.ts';
import { assertion, CAST, startGardenNode } from './garden-kit.ts';

forEachStore('gardens on several processes of one store', () => {
  it('admit and exclude a member on every process with the next request', async () => {
    const options = {
      plugins: ['gardens', 'keys', 'facts', 'audit', 'recall', 'search', 'graph', 'cards', 'conflicts'],
    };
    const garden = await startGardenNode(options);
    const other = await startTestNode({ ...options, folder: garden.node.folder, url: 'http://localhost:8766' });
    try {
      const key = await garden.node.addKey({ entityUri: CAST.stranger });
      const fact = await garden.say('writer', { garden_id: 'herbs', value: { type: 'ref', v: 'user:bob' } });
      const counts = async (): Promise<number[]> => {
        const seen: number[] = [];
        for (const { request } of [garden.node, other]) {
          const recall = { query: 'alice', token_budget: 900 };
          const ask = (method: string, path: string, body?: unknown) =>
            request(method, path, { key, ...(body === undefined ? {} : { body }) });
          seen.push((await ask('GET', '/v1/facts?relation=memory:role')).body.total);
          seen.push((await ask('GET', `/v1/facts/${fact.id}`)).status === 200 ? 1 : 0);
          seen.push((await ask('POST', '/v1/recall', recall)).body.total_scored);
          seen.push((await ask('GET', '/v1/graph/neighbors?entity=user:alice')).body.neighbors.length);
          seen.push((await ask('GET', '/v1/cards/user:alice?scope=company')).status === 200 ? 1 : 0);
        }
        return seen;
      };
      expect(await counts()).to.deep.equal(Array(10).fill(0));
      for (let turn = 0; turn < 3; turn += 1) {
        const member = { entity_uri: CAST.stranger };
        await garden.must(201, 'founder', 'POST', '/v1/gardens/herbs/members', member);
        expect(await counts()).to.deep.equal(Array(10).fill(1));
        await garden.must(204, 'founder', 'DELETE', `/v1/gardens/herbs/members/${CAST.stranger}`);
        expect(await counts()).to.deep.equal(Array(10).fill(0));
      }
    } finally {
      await other.stop();
      await garden.stop();
    }
  });

  it('are found by a process that started before the first garden existed', async () => {
    const options = { plugins: ['gardens', 'keys', 'facts', 'audit'] };
    const first = await startTestNode(options);
    const other = await startTestNode({ ...options, folder: first.folder, url: 'http://localhost:8766' });
    try {
      const key = await first.addKey({ entityUri: CAST.founder });
      const ask = (method: string, path: string, body?: unknown) =>
        first.request(method, path, { key, ...(body === undefined ? {} : { body }) });
      expect((await ask('POST', '/v1/gardens', { slug: 'herbs', name: 'Herbs' })).status).to.equal(201);
      expect((await ask('POST', '/v1/facts', assertion({ garden_id: 'herbs' }))).status).to.equal(201);
      expect((await ask('GET', '/v1/facts?entity=user:alice')).body.total).to.equal(1);
      await comesTrue(async () => {
        // On a store without notifications, the node polls for changes.
        await other.clock.advance(1_000);
        return (await other.request('GET', '/v1/facts?entity=user:alice', { key })).body.total === 1;
      });
    } finally {
      await other.stop();
      await first.stop();
    }
  });

  it('are separate for every tenant, even with equal slugs', async () => {
    const garden = await startGardenNode({
      plugins: ['gardens', 'keys', 'multi-tenant', 'facts'],
      env: { SVC_MULTI_TENANT_ENABLED: 'true' },
    });
    try {
      const key = await garden.node.addKey({
        entityUri: CAST.founder,
        tenantId: 'other',
        permissions: ['read', 'write', 'admin'],
      });
      const ask = (method: string, path: string, body?: unknown) =>
        garden.node.request(method, path, { key, ...(body === undefined ? {} : { body }) });
      const inside = await garden.say('writer', { garden_id: 'herbs' });
      expect((await ask('GET', `/v1/gardens/${garden.gardenId}`)).status).to.equal(404);
      expect((await ask('GET', '/v1/gardens')).body).to.deep.equal([]);
      const made = await ask('POST', '/v1/gardens', { slug: 'herbs', name: 'Herbs of another' });
      expect(made.status, made.text).to.equal(201);
      expect((await ask('GET', `/v1/facts?garden_id=${garden.gardenId}`)).status).to.equal(404);
      expect((await ask('GET', '/v1/facts?garden_id=herbs')).body.total).to.equal(0);
      expect((await ask('GET', `/v1/facts/${inside.id}`)).status).to.equal(404);
      expect((await ask('DELETE', `/v1/gardens/${garden.gardenId}`)).status).to.equal(404);
    } finally {
      await garden.stop();
    }
  });
});
