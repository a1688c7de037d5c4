import { expect } from 'chai';
import { MAX_ACTIVE, MAX_ACTIVE_PER_TARGET } from '../../../plugins/subscriptions/subscription-limits.ts';
import { FactStore } from '../../../ports/ports.ts';
import type { StoreCounts } from '../../fakes/counting-store.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { refDraft } from '../../plugins/graph/ref-drafts.ts';
import { type CrowdedNode, type CrowdRequest, startCrowdedNode, textDraft } from './crowd-kit.ts';

/** More facts than a page reads ahead, so that twice as many cost the same. */
const CROWD = 600;

const range = (count: number, from = 0): number[] => Array.from({ length: count }, (_, n) => from + n);

const get = (target: string): CrowdRequest => ({ as: 'member', method: 'GET', target: () => target });

forEachStore('A stranger stores thousands of facts, of which a request needs one (I21)', () => {
  let crowded: CrowdedNode;
  before(async () => {
    crowded = await startCrowdedNode();
  });
  after(() => crowded.stop());

  /** Checks that a request costs the same with the crowd and with twice the crowd. */
  const expectSteady = async (request: CrowdRequest, gather: (from: number) => Promise<void>): Promise<StoreCounts> => {
    await gather(0);
    const once = await crowded.cost(request);
    await gather(CROWD);
    const twice = await crowded.cost(request);
    expect([twice.statements, twice.rows], 'statements and rows').to.deep.equal([once.statements, once.rows]);
    return twice;
  };

  it('a page with one neighbour of a hub costs the same with twice as many neighbours', async () => {
    const { rows } = await expectSteady(get('/v1/graph/neighbors?entity=org:hub&limit=1'), (from) =>
      crowded.write(range(CROWD, from).map((n) => refDraft('org:hub', `user:many${n}`, { relation: `rel:many${n}` }))),
    );
    expect(rows).to.be.below(CROWD);
  });

  it('a page of neighbours behind a hub costs the same with twice as many neighbours of the hub', async () => {
    await crowded.write([refDraft('user:door', 'org:wide')]);
    await expectSteady(get('/v1/graph/neighbors?entity=user:door&depth=2&limit=2'), (from) =>
      crowded.write(range(CROWD, from).map((n) => refDraft(`user:wide${n}`, 'org:wide'))),
    );
  });

  it('a page with one event of a subscription costs the same with twice as many events', async () => {
    const { rows } = await expectSteady(get(`/v1/subscriptions/${crowded.ids.subscription}/events?limit=1`), (from) =>
      crowded.write(range(CROWD, from).map((n) => textDraft('user:watched', `memory:many${n}`, `word${n}`))),
    );
    expect(rows).to.be.below(50);
    const reply = await crowded.subscribed.replay(crowded.ids.subscription, '?limit=1');
    expect(reply.body.total).to.equal(2 * CROWD + 4);
  });
});

forEachStore('A key creates as many subscriptions as it can, to delay everybody else (I21)', () => {
  let crowded: CrowdedNode;
  beforeEach(async () => {
    crowded = await startCrowdedNode();
  });
  afterEach(() => crowded.stop());

  const subscribeTo = async (targets: readonly string[]) => {
    const { subscribed } = crowded;
    const token = await subscribed.token('svc://facts', { subject: 'agent:stranger' });
    const key = await subscribed.node.addKey({ entityUri: 'agent:stranger' });
    const statuses: number[] = [];
    for (const [n, target] of targets.entries()) {
      const reply = await subscribed.node.request('POST', '/v1/subscriptions', {
        key,
        headers: { 'X-Svc-Capability': token.text },
        body: { target, on_change: 'webhook', webhook_url: `https://hook.example/in?n=${n}` },
      });
      if (reply.status === 409) expect(reply.body.code).to.equal('limit_reached');
      statuses.push(reply.status);
    }
    return { statuses, key };
  };

  it('each further subscription to one target is refused, and a batch costs as many statements as before', async () => {
    const batch: CrowdRequest = {
      as: 'member',
      method: 'POST',
      target: () => '/v1/facts/batch',
      body: (n) =>
        range(20).map((at) => ({
          entity: `user:written${n}`,
          relation: `memory:n${at}`,
          value: { type: 'number', v: at },
          source: 'agent:sub',
          scope: 'company',
        })),
    };
    const [first] = [(await subscribeTo(['scope:company'])).statuses, await crowded.cost(batch)];
    const one = await crowded.cost(batch);
    const { statuses } = await subscribeTo(range(30).map(() => 'scope:company'));
    expect(first).to.deep.equal([201]);
    expect(statuses.filter((status) => status === 201)).to.have.length(MAX_ACTIVE_PER_TARGET - 1);
    const many = await crowded.cost(batch);
    expect(many.statements).to.equal(one.statements);
    expect(many.rows - one.rows).to.be.at.most(MAX_ACTIVE_PER_TARGET);
  });

  it('each subscription beyond the limit for all targets is refused, and deleted ones do not count', async () => {
    const { key } = await subscribeTo(['user:first']);
    const store = crowded.subscribed.node.kernel.get(FactStore);
    const [row] = await store.read((snapshot) =>
      snapshot.select('subscriptions_records', { owner_uri: 'agent:stranger' }),
    );
    const more = range(MAX_ACTIVE - 1).map((n) => ({
      ...row,
      subscription_id: `more${n}`,
      content_digest: `d${n}`,
      match_key: `e:user:more${n}`,
    }));
    await store.write('default', (transaction) => transaction.insertRows('subscriptions_records', more));
    expect((await subscribeTo(['user:last'])).statuses).to.deep.equal([409]);
    const gone = await crowded.subscribed.node.request('DELETE', '/v1/subscriptions/more1', { key });
    expect(gone.status).to.equal(204);
    expect((await subscribeTo(['user:last', 'user:beyond'])).statuses).to.deep.equal([201, 409]);
  });
});
