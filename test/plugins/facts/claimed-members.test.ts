import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import {
  Authorizer,
  appendAuthorise,
  appendRead,
  BOOLEAN_JSON,
  COUNT_JSON,
  equals,
  factCommitted,
  memberRefusal,
  noteOf,
  readConstrain,
  ServiceError,
} from '../../../kernel/plugin-api.ts';
import {
  Assertions,
  defineAssertionMember,
  defineQueryMember,
  defineReadParameter,
  queryAnswer,
} from '../../../plugins/facts/facts-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody, storedFacts } from './fact-bodies.ts';

const TICKET = defineAssertionMember('ticket', {
  summary: 'the ticket that a fact was learned from',
  schema: { properties: { number: {}, open: {} } },
  read(input, path): { readonly number: number; readonly open: boolean } {
    const { number, open = true } = input as { readonly number?: unknown; readonly open?: boolean };
    if (typeof number === 'number') return { number, open };
    throw memberRefusal(`${path}.number`, 'must be a number');
  },
});

const OF_RELATION = defineReadParameter('of_relation', {
  summary: 'facts of this relation alone',
  schema: { type: 'string' },
  read(input, path): string {
    if (String(input).includes(':')) return String(input);
    throw memberRefusal(path, 'must have a namespace', 'bad_parameter');
  },
});

const ADDED = [
  defineQueryMember('tickets', { summary: 'how many facts have a ticket', json: COUNT_JSON }),
  defineQueryMember('readable', { summary: 'how many facts the caller can read', json: COUNT_JSON }),
  defineQueryMember('narrowed', { summary: 'whether one relation was asked for', json: BOOLEAN_JSON }),
];

/** A third-party plugin that claims a member of bodies, a parameter of reads and a member of answers. */
const createTickets = (learned: string[]) =>
  defineOwnPlugin({
    name: 'tickets',
    declares: [TICKET, OF_RELATION, ...ADDED],
    setup({ on }) {
      on(appendRead, ({ items }) => {
        for (const item of items) if (noteOf(item.notes, TICKET.note)?.open) item.complete({ attested: true });
      });
      on(appendAuthorise, ({ items }) => {
        for (const item of items) {
          const ticket = noteOf(item.notes, TICKET.note);
          if (ticket !== undefined && !ticket.open)
            item.reject(new ServiceError('authorization', 'the ticket is closed'));
        }
      });
      on(factCommitted, ({ facts }) => {
        for (const { fact, notes } of facts) learned.push(`${fact.relation} ${noteOf(notes, TICKET.note)?.number}`);
      });
      on(readConstrain, ({ notes }) => {
        const relation = noteOf(notes, OF_RELATION.note);
        return relation === undefined ? undefined : equals('relationKey', relation);
      });
      on(queryAnswer, async ({ facts, reader, notes }) => ({
        tickets: facts.length,
        readable: await reader.snapshot.count(await reader.constraint('visible')),
        narrowed: noteOf(notes, OF_RELATION.note) !== undefined,
      }));
    },
  });

forEachStore('a request member or parameter that a plugin adds', () => {
  let node: TestNode;
  let key: string;
  let learned: string[];

  beforeEach(async () => {
    learned = [];
    node = await startTestNode({ plugins: ['facts'], extra: [createTickets(learned)] });
    key = await node.addKey();
  });
  afterEach(() => node.stop());

  const post = (body: unknown, path = '/v1/facts') => node.request('POST', path, { key, body });
  const get = (target: string) => node.request('GET', target, { key });
  const open = { ticket: { number: 7 } };
  const closed = { ticket: { number: 8, open: false } };

  it('takes effect on a single assertion', async () => {
    const stored = await post(factBody(open));
    expect([stored.status, stored.body.attested]).to.deep.equal([201, true]);
    const refused = await post(factBody(closed));
    expect([refused.status, refused.body.detail]).to.deep.equal([403, 'the ticket is closed']);
    expect((await post(factBody({ ticket: null, relation: 'memory:none' }))).body.attested).to.equal(null);
    expect(learned).to.deep.equal(['memory:role 7', 'memory:none undefined']);
  });

  it('takes effect in a batch and through the service that other plugins call', async () => {
    const { body } = await post([factBody(closed), factBody(open), factBody({ ticket: {} })], '/v1/facts/batch');
    expect(body.results.map(({ status }: { status: number }) => status)).to.deep.equal([403, 201, 422]);
    expect(body.results[2].error.errors[0].path).to.equal('body[2].ticket.number');
    const caller = await node.kernel.get(Authorizer).authenticate(key);
    const assertions = node.kernel.get(Assertions);
    const { view } = await assertions.assert(caller, factBody({ ...open, relation: 'memory:other' }));
    expect(view.fact.attested).to.equal(true);
    expect(await rejection(assertions.assert(caller, factBody(closed)))).to.include({ code: 'authorization' });
    expect(await storedFacts(node)).to.equal(2);
  });

  it('is refused with its path when it is invalid or unknown', async () => {
    const wrong = await post(factBody({ ticket: { number: 7, opened: true } }));
    expect([wrong.status, wrong.body.errors[0].path]).to.deep.equal([422, 'body.ticket.opened']);
    const unknown = await post(factBody({ tickets: { number: 7 } }));
    expect(unknown.body.errors[0].message).to.equal('is not a known member; did you mean ticket?');
    await node.stop();
    node = await startTestNode({ plugins: ['facts'] });
    key = await node.addKey();
    const off = await post(factBody(open));
    expect([off.status, off.body.errors[0]]).to.deep.equal([
      422,
      { path: 'body.ticket', message: 'is not a known member' },
    ]);
  });

  it('filters pages, single facts and provenance', async () => {
    const role = (await post(factBody())).body;
    const city = (await post(factBody({ relation: 'memory:city' }))).body;
    const page = (await get('/v1/facts?of_relation=memory:city')).body;
    expect([page.total, page.facts[0].id]).to.deep.equal([1, city.id]);
    expect(page).to.include({ tickets: 1, readable: 1, narrowed: true });
    expect(page.tombstone_notices).to.deep.equal([]);
    expect((await get('/v1/facts')).body).to.include({ total: 2, tickets: 2, readable: 2, narrowed: false });
    for (const tail of ['', '/provenance']) {
      expect((await get(`/v1/facts/${city.id}${tail}?of_relation=memory:city`)).status, tail).to.equal(200);
      expect((await get(`/v1/facts/${role.id}${tail}?of_relation=memory:city`)).status, tail).to.be.within(403, 404);
    }
  });

  it('cannot replace a member that the node itself defines', async () => {
    const read = (input: unknown) => input;
    const taker = defineOwnPlugin({
      name: 'taker',
      declares: [
        defineAssertionMember('entity', { summary: 'mine', schema: {}, read }),
        defineAssertionMember('tenant_id', { summary: 'mine', schema: {}, read }),
        defineReadParameter('limit', { summary: 'mine', schema: {}, read }),
        defineReadParameter('depth', { summary: 'mine', schema: {}, read }),
      ],
      setup: () => undefined,
    });
    const error = await rejection(startTestNode({ extra: [taker] }));
    for (const clash of [
      'the member of an assertion entity is declared by facts and by taker',
      'the member of an assertion tenant_id is declared by facts and by taker',
      'the parameter of reads limit is declared by facts and by taker',
      'the parameter of reads depth is declared by facts and by taker',
    ]) {
      expect(String(error.message)).to.contain(clash);
    }
  });

  it('leaves the other members of an answer unchanged', async () => {
    const taker = defineOwnPlugin({
      name: 'taker',
      setup: ({ on }) => on(queryAnswer, () => ({ facts: [], total: 0, cursor: 'x', tombstone_notices: ['gone'] })),
    });
    const node = await startTestNode({ extra: [taker] });
    const key = await node.addKey();
    await node.request('POST', '/v1/facts', { key, body: factBody() });
    const { body } = await node.request('GET', '/v1/facts', { key });
    expect([body['total'], body['cursor'], body['tombstone_notices']]).to.deep.equal([1, null, ['gone']]);
    expect(body['facts']).to.have.length(1);
    await node.stop();
  });

  it('is validated like any other parameter, and belongs to the cursor', async () => {
    expect((await get('/v1/facts?of_relation=city')).body.errors[0].path).to.equal('query.of_relation');
    expect((await get('/v1/facts?of_relations=a:b')).body.errors[0].message).to.include('did you mean of_relation?');
    for (const name of ['a', 'b', 'c']) await post(factBody({ entity: `user:${name}` }));
    const { cursor } = (await get('/v1/facts?limit=1&of_relation=memory:role')).body;
    expect((await get(`/v1/facts?limit=1&of_relation=memory:role&cursor=${cursor}`)).status).to.equal(200);
    expect((await get(`/v1/facts?limit=1&cursor=${cursor}`)).status).to.equal(400);
  });
});
