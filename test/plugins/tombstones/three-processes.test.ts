import { expect } from 'chai';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/** Recall options without vectors, because the node computes vectors in the background. */
const LEXICAL = { weights: { lexical: 1 } };
const SETTINGS = { tombstones: { enabled: true } };

forEachStore('a tombstone on a store that three processes share', () => {
  const nodes: TestNode[] = [];
  const keys: string[] = [];
  let admin: string;
  before(async () => {
    const clock = createManualClock();
    const first = await startTestNode({ clock, settings: SETTINGS });
    nodes.push(first);
    for (const seed of [2, 3]) {
      const url = `http://localhost:${8765 + seed}`;
      const options = { clock, folder: first.folder, random: createSeededRandom(seed), settings: SETTINGS, url };
      nodes.push(await startTestNode(options));
    }
    for (const node of nodes) keys.push(await node.addKey({ entityUri: 'agent:w' }));
    admin = await first.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'admin'] });
  });
  after(async () => {
    for (const node of nodes.toReversed()) await node.stop();
  });

  const ask = (at: number, method: string, path: string, body?: unknown, key = keys[at] ?? '') =>
    (nodes[at] as TestNode).request(method, path, { key, ...(body === undefined ? {} : { body }) });
  let count = 0;
  const say = async (entity: string, v: string) => {
    count += 1;
    const body = {
      scope: 'public',
      entity,
      relation: `memory:note-${count}`,
      value: { type: 'text', v },
      source: 'agent:w',
    };
    const reply = await ask(0, 'POST', '/v1/facts', body);
    expect(reply.status, reply.text).to.equal(201);
    return reply.body.id as string;
  };
  /** Returns the replies of one process to a recall and a query, with scores and counts. */
  const seen = async (at: number) => {
    const recalled = await ask(at, 'POST', '/v1/recall', { query: 'lantern harbour', token_budget: 4_000, ...LEXICAL });
    const listed = await ask(at, 'GET', '/v1/facts?entity=user:gone');
    const { facts, total_scored } = recalled.body;
    return {
      recalled: facts.map(({ fact, score }: { fact: { id: string }; score: number }) => [fact.id, score]),
      scored: total_scored,
      total: listed.body.total,
    };
  };
  const create = async (body: object) => (await ask(0, 'POST', '/v1/tombstones', body, admin)).body.id as string;
  const revoke = (id: string) => ask(0, 'POST', `/v1/tombstones/${id}/revoke`, { reason: 'to see' }, admin);

  it('takes effect at once in each process, and so does its revocation', async () => {
    await say('user:here', 'the harbour has a lantern');
    const before = await Promise.all([0, 1, 2].map(seen));
    const first = await say('user:gone', 'lantern lantern harbour');
    const id = await create({ entity_uri: 'user:gone' });
    const later = await say('user:gone', 'a lantern that came later');
    for (const at of [0, 1, 2]) expect(await seen(at)).to.deep.equal(before[at]);
    for (const at of [0, 1, 2]) expect((await ask(at, 'GET', `/v1/facts/${later}`)).status).to.equal(404);
    expect((await revoke(id)).status).to.equal(200);
    for (const at of [0, 1, 2]) {
      const { recalled, total } = await seen(at);
      expect(total).to.equal(2);
      expect(recalled.map(([factId]: [string]) => factId)).to.include.members([first, later]);
    }
  });

  it('takes effect in a process that starts later', async () => {
    const without = await seen(1);
    expect(without.total).to.equal(2);
    await create({ entity_uri: 'user:gone' });
    const expected = await seen(0);
    const url = 'http://localhost:8790';
    const random = createSeededRandom(9);
    const { clock, folder } = nodes[0] as TestNode;
    const fresh = await startTestNode({ clock, folder, random, settings: SETTINGS, url });
    nodes.push(fresh);
    keys.push(await fresh.addKey({ entityUri: 'agent:w' }));
    expect(await seen(3)).to.deep.equal(expected);
    expect(expected.total).to.equal(0);
  });

  it('hides the facts from all keys without admin if it is a legal hold', async () => {
    const id = await say('user:held', 'a lantern under hold');
    await create({ entity_uri: 'user:held', legal_hold: true });
    for (const at of [0, 1, 2]) {
      expect((await ask(at, 'GET', `/v1/facts/${id}`)).status).to.equal(404);
    }
    expect((await ask(0, 'GET', `/v1/facts/${id}`, undefined, admin)).status).to.equal(200);
    expect((await ask(0, 'GET', '/v1/facts?entity=user:held', undefined, admin)).body.total).to.equal(1);
    // A second tombstone without legal hold hides the facts even from admins.
    await create({ entity_uri: 'user:held', scope: 'public' });
    expect((await ask(0, 'GET', `/v1/facts/${id}`, undefined, admin)).status).to.equal(404);
  });

  it('is not revealed to the author of a new fact: repeated requests return the same fact id', async () => {
    await create({ entity_uri: 'user:mute' });
    const body = { entity: 'user:mute', relation: 'memory:note', value: { type: 'text', v: 'x' }, source: 'agent:w' };
    const headers = { 'Idempotency-Key': 'k1' };
    const first = await (nodes[0] as TestNode).request('POST', '/v1/facts', { key: keys[0] ?? '', body, headers });
    const again = await (nodes[1] as TestNode).request('POST', '/v1/facts', { key: keys[0] ?? '', body, headers });
    expect([first.status, again.status, again.body.id]).to.deep.equal([201, 201, first.body.id]);
    const repeated = await ask(0, 'POST', '/v1/facts', body);
    expect([repeated.status, repeated.body.id]).to.deep.equal([201, first.body.id]);
    expect((await ask(0, 'GET', `/v1/facts/${first.body.id}`)).status).to.equal(404);
  });
});
