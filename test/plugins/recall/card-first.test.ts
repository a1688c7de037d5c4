import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'recall', 'search', 'cards', 'jobs'];
const ENTITY = 'user:ann';
/** A number of facts that exceeds those which a recall ranks of one entity. */
const MANY = 130;

interface Found {
  readonly fact: { readonly entity: string };
  readonly from_card: boolean;
}

forEachStore('a recall about an entity that has a card', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: PLUGINS, settings: { facts: { sessionGuard: 'enforce' } } });
    key = await node.addKey();
  });
  afterEach(() => node.stop());

  const send = (method: string, path: string, body?: unknown, session = '') =>
    node.request(method, path, { key, ...(body === undefined ? {} : { body }), headers: { 'Svc-Session': session } });
  const note = (entity: string, v: string) => ({
    entity,
    relation: `memory:${v.replaceAll(' ', '-')}`,
    value: { type: 'text', v },
    source: 'agent:s',
    scope: 'local',
  });
  const sayMany = async (count: number): Promise<void> => {
    const notes = Array.from({ length: count }, (_, at) => note(ENTITY, `lantern number ${at}`));
    expect((await send('POST', '/v1/facts/batch', notes)).status).to.equal(200);
    expect((await send('GET', `/v1/cards/${ENTITY}`)).status).to.equal(200);
  };
  const recall = async (members: object, session?: string): Promise<Found[]> => {
    const reply = await send('POST', '/v1/recall', { entity: ENTITY, token_budget: 200_000, ...members }, session);
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.facts;
  };

  it('returns the card in place of all facts of the entity, however many there are', async () => {
    await sayMany(MANY);
    const found = await recall({ query: 'lantern number 3 7 11' });
    expect(found.map(({ fact, from_card }) => [fact.entity, from_card])).to.deep.equal([[ENTITY, true]]);
  });

  it('counts the facts behind the card as read by the session', async () => {
    await sayMany(1);
    expect((await recall({}, 'talk')).map(({ from_card }) => from_card)).to.deep.equal([true]);
    const refused = await send('POST', '/v1/facts', note('user:other', 'heard'), 'talk');
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'feedback_loop_provenance_required']);
  });
});
