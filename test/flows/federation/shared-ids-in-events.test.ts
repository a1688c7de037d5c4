import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import type { Document } from '../../kit/federation/peer-identity.ts';
import { declareBoth, push } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import type { WireFact } from '../../kit/federation/wire-fact.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const HOOK = 'https://hook.test';

const stripped = ({ origin_proof: _proof, ...fact }: WireFact): WireFact => fact;

forEachStore('Two facts of different nodes with one id, in events and jobs', () => {
  const world = createWorld();
  const delivered: Document[] = [];
  let node: FederatedNode;
  let origin: TestPeer;
  let rival: TestPeer;
  let hook: { close(graceMs: number): Promise<void> };
  let entities = 0;
  before(async () => {
    hook = await world.network.transport(HOOK).serve({
      endpoints: [
        {
          method: 'POST',
          path: '/in',
          handle: async (request) => {
            delivered.push(JSON.parse(Buffer.from(await request.body(1_000_000)).toString()));
            return { status: 200, headers: {} };
          },
        },
      ],
      unmatched: async () => ({ status: 404, headers: {} }),
    });
    node = await startFederatedNode({
      name: 'n',
      ...world,
      settings: { tombstones: { enabled: true }, jobs: { threshold: 1 } },
    });
    const peerOf = (host: string) => startTestPeer({ ...world, nowMs: () => world.clock.nowMs(), host });
    [origin, rival] = [await peerOf('origin.test'), await peerOf('rival.test')];
    for (const peer of [origin, rival]) await declareBoth(node, peer);
  });
  after(async () => {
    for (const each of [node, origin, rival]) await each?.stop();
    await hook?.close(0);
  });
  const ask = (method: string, path: string, body?: unknown, headers = {}) =>
    node.request(method, path, { key: node.key, headers, ...(body === undefined ? {} : { body }) });
  const soon = (holds: () => Promise<boolean>) =>
    comesTrue(async () => {
      await world.clock.advance(1_000);
      return holds();
    });
  const accepted = async (peer: TestPeer, fact: WireFact): Promise<void> => {
    const reply = await push(node, peer, [fact]);
    expect(reply.body.accepted, reply.text).to.equal(1);
  };
  const nextEntity = (): string => {
    entities += 1;
    return `user:told-${entities}`;
  };

  /** Subscribes to an entity. Returns the id of the subscription. */
  const subscribe = async (entity: string): Promise<string> => {
    const issued = await ask('POST', '/v1/federation/capability-tokens', {
      issuer: 'agent:owner-of-n',
      subject: 'agent:owner-of-n',
      verb: 'subscribe',
      object: entity,
    });
    expect(issued.status, issued.text).to.equal(201);
    const body = { target: entity, on_change: 'webhook', webhook_url: `${HOOK}/in` };
    const made = await ask('POST', '/v1/subscriptions', body, { 'X-Svc-Capability': issued.body.token_json });
    expect(made.status, made.text).to.equal(201);
    return made.body.subscription_id ?? made.body.id;
  };
  const eventsOf = async (id: string): Promise<readonly Document[]> =>
    (await ask('GET', `/v1/subscriptions/${id}/events?limit=50`)).body.events;
  const said = (events: readonly Document[]): readonly unknown[] =>
    events
      .filter(({ event_type: type }) => type === 'fact_asserted')
      .map(({ fact_id: id, payload, fact }) => [id, ((payload ?? fact) as WireFact).value.v]);

  /** Lets two peers sign different facts about an entity under one id. */
  const makeTwo = async (entity: string, members: Document = {}) => {
    const first = origin.fact({ entity, ...members, value: { type: 'string', v: 'first' } });
    const other = { ...stripped(first), source: 'agent:rival', value: { type: 'string', v: 'second' } };
    await accepted(origin, first);
    await accepted(rival, { ...other, origin_proof: rival.prove(other) });
    const { facts } = (await node.get(`/v1/facts?entity=${entity}&include_contradicted=true`)).body;
    const { id: localId } = facts.find((fact: Document) => fact['origin_id'] === first.id);
    return { id: first.id, localId };
  };

  it('are two events, each with its own fact, in replays and deliveries', async () => {
    const entity = nextEntity();
    const subscription = await subscribe(entity);
    const { id, localId } = await makeTwo(entity);
    const both = [
      [id, 'first'],
      [localId, 'second'],
    ];
    const hooked = () => said(delivered.filter((event) => event['entity'] === entity));
    await soon(async () => hooked().length === 2);
    expect(hooked()).to.have.deep.members(both);
    expect(said(await eventsOf(subscription))).to.deep.equal(both);
  });

  it('are one event once one of them is a copy that a proof refutes', async () => {
    const entity = nextEntity();
    const subscription = await subscribe(entity);
    const proven = origin.fact({ entity, value: { type: 'string', v: 'said' } });
    await accepted(rival, { ...stripped(proven), value: { type: 'string', v: 'forged' } });
    expect(said(await eventsOf(subscription))).to.deep.equal([[proven.id, 'forged']]);
    await accepted(origin, proven);
    const events = await eventsOf(subscription);
    expect(said(events).map((event) => (event as unknown[])[1])).to.deep.equal(['said']);
    await soon(async () => delivered.some((event) => event['entity'] === entity && said([event])[0] !== undefined));
    await soon(async () => (await eventsOf(subscription)).every((event) => event['delivery_status'] === 'delivered'));
    const { body } = await node.get(`/v1/facts/${proven.id}`);
    expect(said(await eventsOf(subscription))).to.deep.equal([[body.id, 'said']]);
  });

  const jobOf = async (reply: { readonly status: number; readonly text: string; readonly body: Document }) => {
    expect(reply.status, reply.text).to.equal(202);
    const path = `/v1/jobs/${reply.body['job_id']}`;
    await soon(async () => ['done', 'failed'].includes((await ask('GET', path)).body.status));
    const { body } = await ask('GET', path);
    expect(body.status, JSON.stringify(body)).to.equal('done');
    return body;
  };

  it('are two facts of a synthesis and of a lint, and an ended one is in neither', async () => {
    const entity = nextEntity();
    const { id, localId } = await makeTwo(entity);
    const idsOf = (facts: readonly Document[]): readonly unknown[] =>
      facts.filter((fact) => fact['entity'] === entity).map((fact) => fact['id']);
    const made = await jobOf(await ask('GET', '/v1/synthesis?scope=public'));
    expect(idsOf(made.facts)).to.have.members([id, localId]);
    const linted = async () => (await jobOf(await ask('GET', '/v1/lint?scope=public&checks=contradiction'))).findings;
    expect(JSON.stringify(await linted()))
      .to.include(id)
      .and.include(localId);
    const value = { type: 'datetime', v: '2026-01-01T00:00:00Z' };
    await node.say({ entity: localId, relation: 'svc:ttl', value, scope: 'local' });
    expect(idsOf((await jobOf(await ask('GET', '/v1/synthesis?scope=public'))).facts)).to.deep.equal([id]);
    expect(JSON.stringify(await linted())).not.to.include(localId);
  });

  it('are both ended by a sweep', async () => {
    const entity = nextEntity();
    const ids = Object.values(await makeTwo(entity, { confidence: 0.2 }));
    const swept = await jobOf(await ask('POST', '/v1/decay/sweep', { min_confidence: 0.5, scope: 'public' }));
    expect(swept).to.include({ decayed: 2 });
    const { facts } = (await node.get('/v1/facts?relation=svc:ttl&limit=500')).body;
    const ended = facts.map((fact: Document) => String(fact['entity']).replace('svc:fact:', ''));
    expect(ended).to.include.members(ids);
    expect((await node.get(`/v1/facts?entity=${entity}`)).body.facts).to.deep.equal([]);
  });

  it('are both destroyed by an erasure of their entity', async () => {
    const entity = nextEntity();
    const ids = Object.values(await makeTwo(entity));
    const { id } = (await ask('POST', '/v1/tombstones', { entity_uri: entity })).body;
    const { receipt } = await jobOf(await ask('POST', `/v1/tombstones/${id}/erase`, { confirm: entity }));
    expect(receipt.erased.facts).to.equal(2);
    const left = await node.kernel.get(FactStore).table('facts').whereIn('id', ids).select('cid');
    expect(left.map(({ cid }: { readonly cid: unknown }) => cid)).to.deep.equal([null, null]);
  });
});
