import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { CAST, type GardenFact, type GardenNode, startGardenNode } from '../../plugins/gardens/garden-kit.ts';

forEachStore('A moderator names the target garden of a promotion in the query instead of the body (I22)', () => {
  let garden: GardenNode;
  beforeEach(async () => {
    garden = await startGardenNode({
      plugins: ['gardens', 'keys', 'facts', 'audit', 'billing', 'conflicts', 'recall', 'search'],
      env: { SVC_QUARANTINE_GARDEN_ID: 'ward' },
    });
    await garden.must(201, 'founder', 'POST', '/v1/gardens', { slug: 'ward', name: 'Ward', quarantine: true });
    const writer = { entity_uri: CAST.writer, role: 'writer' };
    await garden.must(201, 'founder', 'POST', '/v1/gardens/ward/members', writer);
  });
  afterEach(() => garden.stop());

  const held = (): Promise<GardenFact> => garden.say('writer', { garden_id: 'ward' });
  const admit = (status: number, id: string, query: string, body?: unknown) =>
    garden.must(status, 'founder', 'POST', `/v1/quarantine/${id}/admit${query}`, body);
  const publicly = async (): Promise<number> =>
    (await garden.must(200, 'stranger', 'GET', '/v1/facts?entity=user:alice')).body.total;

  it('and the fact is promoted into that garden, visible only to its members', async () => {
    const { id } = await held();
    const { body } = await admit(200, id, '?target_garden_id=herbs&reason=checked');
    expect(body.target_garden_id).to.match(/\/garden\/herbs$/);
    expect(await publicly()).to.equal(0);
    const { items } = (await garden.must(200, 'founder', 'GET', '/v1/quarantine?quarantine_status=promoted')).body;
    expect(items.map(({ fact_id }: { fact_id: string }) => fact_id)).to.deep.equal([id]);
  });

  it('and a target that is missing, empty, or different from the one in the body promotes nothing', async () => {
    const { id } = await held();
    await admit(403, id, '?target_garden_id=no-such-garden');
    await admit(400, id, '?target_garden_id=');
    await admit(400, id, '?target=herbs');
    const { body } = await admit(422, id, '?target_garden_id=herbs&reason=a', {
      target_garden_id: 'ward',
      reason: 'b',
    });
    expect(body.errors.map(({ path }: { path: string }) => path)).to.deep.equal([
      'body.target_garden_id',
      'body.reason',
    ]);
    expect(await publicly()).to.equal(0);
    const { total } = (await garden.must(200, 'founder', 'GET', '/v1/quarantine?quarantine_status=pending')).body;
    expect(total).to.equal(1);
  });

  it('and the same target in both is accepted', async () => {
    const { id } = await held();
    await admit(200, id, '?target_garden_id=herbs', { target_garden_id: 'herbs', reason: null });
    expect(await publicly()).to.equal(0);
  });

  it('and a rejection accepts its reason in the query too, but refuses a target garden', async () => {
    const { id } = await held();
    const reject = (query: string, status: number) =>
      garden.must(status, 'founder', 'POST', `/v1/quarantine/${id}/reject${query}`);
    await reject('?target_garden_id=herbs', 400);
    await reject('?reason=doubtful', 200);
  });
});
