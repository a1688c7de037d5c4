import { expect } from 'chai';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { startTestNode } from '../../kit/start-test-node.ts';
import { contentOf, exportLines, importAll } from '../transfer/transfer-node.ts';
import { CAST, startGardenNode } from './garden-kit.ts';

const PLUGINS = ['gardens', 'keys', 'facts', 'conflicts', 'audit', 'transfer'];

describe('the export and import of gardens', () => {
  for (const [from, to] of [
    ['sqlite', 'postgres'],
    ['postgres', 'sqlite'],
  ] as const) {
    it(`keep members, facts and the quarantine, from ${from} to ${to}`, async () => {
      const garden = await startGardenNode({ plugins: PLUGINS, store: from });
      const target = await startTestNode({
        plugins: PLUGINS,
        store: to,
        random: createSeededRandom(2),
        url: 'http://other.example',
      });
      try {
        await garden.must(201, 'founder', 'POST', '/v1/gardens', { slug: 'roots', name: 'Roots', description: 'old' });
        await garden.must(201, 'founder', 'POST', '/v1/gardens', { slug: 'gone', name: 'Gone' });
        await garden.must(201, 'founder', 'POST', '/v1/gardens', { slug: 'ward', name: 'Ward', quarantine: true });
        await garden.must(201, 'founder', 'POST', '/v1/gardens/roots/members', {
          entity_uri: CAST.writer,
          role: 'writer',
        });
        const string = (v: string) => ({ value: { type: 'string', v } });
        const inside = await garden.say('writer', { garden_id: 'herbs', ...string('a') });
        await garden.say('writer', { garden_id: 'roots', ...string('b') });
        const winner = await garden.say('writer', { garden_id: 'roots', ...string('c') });
        const lost = await garden.say('founder', { garden_id: 'gone', entity: 'user:lost' });
        const held = await garden.say('founder', { garden_id: 'ward', entity: 'user:held' });
        const refused = await garden.say('founder', { garden_id: 'ward', entity: 'user:refused' });
        await garden.must(200, 'founder', 'POST', `/v1/quarantine/${refused.id}/reject`);
        await garden.must(204, 'founder', 'DELETE', '/v1/gardens/gone');
        const lines = await exportLines(garden.node);
        expect((await importAll(target, lines)).refused).to.deep.equal([]);
        expect((await importAll(target, lines)).refused).to.deep.equal([]);
        expect(await contentOf(target)).to.deep.equal(lines.slice(1));

        const ask = async (entityUri: string, path: string) => {
          const key = await target.addKey({ entityUri });
          return (await target.request('GET', path, { key })).body;
        };
        const [copy] = (await ask(CAST.reader, '/v1/facts?entity=user:alice')).facts;
        expect(copy).to.deep.include({ id: inside.id, garden_id: 'svc://other.example/garden/herbs' });
        expect((await ask(CAST.stranger, '/v1/facts')).total).to.equal(0);
        expect((await ask(CAST.writer, '/v1/conflicts')).conflicts).to.have.lengthOf(1);
        const [conflict] = (await ask(CAST.writer, '/v1/conflicts')).conflicts;
        expect((await ask(CAST.writer, `/v1/facts?entity=${conflict.conflict_id}`)).total).to.equal(2);
        expect((await ask(CAST.reader, `/v1/facts?entity=${conflict.conflict_id}`)).total).to.equal(0);
        const inRoots = await ask(CAST.writer, '/v1/facts?entity=user:alice&garden_id=roots');
        expect(inRoots.facts.map(({ id }: { id: string }) => id)).to.deep.equal([winner.id]);
        const pending = await ask(CAST.founder, '/v1/quarantine?quarantine_status=pending');
        expect(pending.items.map((item: { fact_id: string }) => item.fact_id)).to.deep.equal([held.id]);
        expect((await ask(CAST.founder, `/v1/facts/${lost.id}`)).status).to.equal(404);
      } finally {
        await garden.stop();
        await target.stop();
      }
    });
  }

  it('refuse an invalid line and a slug that is already in use', async () => {
    const garden = await startGardenNode({ plugins: PLUGINS });
    const target = await startTestNode({
      plugins: PLUGINS,
      random: createSeededRandom(2),
      url: 'http://other.example',
    });
    try {
      const lines = await exportLines(garden.node);
      const [header = '', ...rest] = lines;
      const line = JSON.parse(rest.find((text) => text.includes('"type":"garden"')) ?? '{}');
      const wrong = [
        { slug: 'Not A Slug' },
        { scope: 'galaxy' },
        { members: [{ entity_uri: 'agent:x', role: 'owner', added_by: 'x', added_ms: 1 }] },
        { members: [5] },
        { members: ['agent:x', 'Agent:X'].map((entity_uri) => ({ ...line.members[0], entity_uri })) },
        { created_ms: 'x' },
        { quarantine: 1 },
        { id: '' },
      ].map((change) => JSON.stringify({ ...line, ...change }));
      const { refused } = await importAll(target, [header, ...wrong]);
      expect(refused).to.have.lengthOf(wrong.length);
      const key = await target.addKey({ entityUri: 'agent:here' });
      await target.request('POST', '/v1/gardens', { key, body: { slug: 'herbs', name: 'Ours' } });
      const clash = await importAll(target, lines);
      expect(clash.refused.map(({ reason }) => reason)).to.deep.equal(['another garden has the slug of this one']);
    } finally {
      await garden.stop();
      await target.stop();
    }
  });
});
