import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { CAST, type GardenFact, type GardenNode, startGardenNode } from './garden-kit.ts';

forEachStore('a quarantine garden with facts that a tombstone hides', () => {
  let garden: GardenNode;
  beforeEach(async () => {
    garden = await startGardenNode({
      plugins: ['gardens', 'keys', 'facts', 'tombstones', 'node-info'],
      env: { SVC_TOMBSTONES_ENABLED: 'true' },
    });
    await garden.must(201, 'founder', 'POST', '/v1/gardens', { slug: 'ward', name: 'Ward', quarantine: true });
    const role = 'quarantine:moderator';
    await garden.must(201, 'founder', 'POST', '/v1/gardens/ward/members', { entity_uri: CAST.reader, role });
  });
  afterEach(() => garden.stop());

  const held = (entity: string): Promise<GardenFact> => garden.say('founder', { garden_id: 'ward', entity });
  const hide = async (entity: string): Promise<string> =>
    (await garden.must(201, 'operator', 'POST', '/v1/tombstones', { entity_uri: entity })).body.id;
  const list = async (query = '') => (await garden.must(200, 'reader', 'GET', `/v1/quarantine?${query}`)).body;

  it('shows and counts the other facts only (I13)', async () => {
    const shown: string[] = [];
    for (const entity of ['user:a', 'user:gone', 'user:b', 'user:gone', 'user:c']) {
      const { id } = await held(entity);
      if (entity !== 'user:gone') shown.unshift(id);
      await garden.node.clock.advance(1_000);
    }
    await hide('user:gone');
    const ids = ({ items }: { items: { fact_id: string }[] }) => items.map(({ fact_id: id }) => id);
    const all = await list();
    expect([ids(all), all.total]).to.deep.equal([shown, 3]);
    const page = await list('limit=2&offset=1');
    expect([ids(page), page.total]).to.deep.equal([shown.slice(1), 3]);
    expect((await list('quarantine_status=promoted')).total).to.equal(0);
    expect((await list('offset=3')).items).to.deep.equal([]);
  });

  it('can be deleted once nobody can decide about the rest any more', async () => {
    await held('user:gone');
    const open = await held('user:open');
    await garden.must(409, 'founder', 'DELETE', '/v1/gardens/ward');
    await hide('user:gone');
    const refused = await garden.must(409, 'founder', 'DELETE', '/v1/gardens/ward');
    expect(refused.body.code).to.equal('quarantine_has_pending_facts');
    await garden.must(200, 'reader', 'POST', `/v1/quarantine/${open.id}/reject`);
    await garden.must(204, 'founder', 'DELETE', '/v1/gardens/ward');
  });
});

forEachStore('a member who does not judge a quarantine garden', () => {
  let garden: GardenNode;
  before(async () => {
    garden = await startGardenNode({ plugins: ['gardens', 'keys', 'facts', 'node-info'] });
    await garden.must(201, 'founder', 'POST', '/v1/gardens', { slug: 'ward', name: 'Ward', quarantine: true });
    for (const [actor, role] of [
      ['writer', 'writer'],
      ['reader', 'reader'],
    ] as const) {
      await garden.must(201, 'founder', 'POST', '/v1/gardens/ward/members', { entity_uri: CAST[actor], role });
    }
  });
  after(() => garden.stop());

  for (const actor of ['writer', 'reader'] as const) {
    for (const verb of ['admit', 'reject']) {
      it(`cannot tell a waiting fact from none, as a ${actor} who wants to ${verb} it (I13)`, async () => {
        const { id } = await garden.say('founder', { garden_id: 'ward', entity: `user:${actor}-${verb}` });
        const none = '00000000-0000-4000-8000-000000000000';
        const told = async (named: string) => {
          const headers = { 'X-Request-Id': 'same' };
          const { status, text } = await garden.ask(actor, 'POST', `/v1/quarantine/${named}/${verb}`, { headers });
          return `${status} ${text.replaceAll(named, 'ID')}`;
        };
        expect(await told(none)).to.match(/^404 /);
        expect(await told(id)).to.equal(await told(none));
      });
    }
  }
});
