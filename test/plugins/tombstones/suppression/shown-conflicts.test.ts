import { expect } from 'chai';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { type PeeredNode, startPeeredNode } from './peered-node.ts';

forEachStore('conflicts of a place of which a tombstone of a peer hides a part', () => {
  let on: PeeredNode | undefined;
  const start = async (hasHidden: boolean): Promise<PeeredNode> => {
    await on?.stop();
    on = await startPeeredNode(hasHidden);
    return on;
  };
  afterEach(async () => {
    await on?.stop();
    on = undefined;
  });

  const unresolved = async ({ node, reader }: PeeredNode, query = '') =>
    (await node.request('GET', `/v1/conflicts?limit=1${query}`, { key: reader })).body;

  /** Returns the events of a subscriber. */
  const eventsOf = async (hasHidden: boolean): Promise<readonly string[]> => {
    const { subscribe, bury, sayHidden, say } = await start(hasHidden);
    await bury();
    const events = await subscribe();
    await sayHidden('hidden');
    const shown = [await say('shown'), await say('shown too')];
    await sayHidden('hidden too');
    await say('settled', { replaces: shown });
    return events();
  };

  it('send the same events as without the hidden facts (I13)', async () => {
    const events = await eventsOf(true);
    expect(events).to.deep.equal(await eventsOf(false));
    expect(events).to.include.members(['conflict_opened shown too', 'conflict_resolved settled']);
  });

  it('are listed by the time at which visible facts met, and cursors hold that time (I13)', async () => {
    const peered = await start(true);
    const { bury, sayHidden, say } = peered;
    await sayHidden('hidden');
    await say('first', { relation: 'memory:mood' });
    await say('shown');
    await say('second', { relation: 'memory:mood' });
    await say('shown too');
    await bury();
    const { conflicts, cursor } = await unresolved(peered);
    expect(conflicts[0].fact_a.value.v).to.equal('shown too');
    expect(conflicts[0].detected_at).to.equal(conflicts[0].fact_a.timestamp);
    const position = Buffer.from(cursor, 'base64url').toString();
    expect(position).to.include(String(Date.parse(conflicts[0].detected_at)));
    const rest = await unresolved(peered, `&cursor=${cursor}`);
    expect(rest.conflicts[0].fact_a.value.v).to.equal('second');
  });

  it('begin anew, or go on, once the tombstone is revoked', async () => {
    for (const comesBefore of [true, false]) {
      const peered = await start(true);
      const { bury, unbury, sayHidden, say } = peered;
      const shown = await say('shown', { confidence: 0.5 });
      if (comesBefore) await sayHidden('hidden');
      await bury();
      if (!comesBefore) await sayHidden('hidden');
      expect((await unresolved(peered)).conflicts).to.deep.equal([]);
      expect((await unresolved(peered, '&status=all')).conflicts).to.deep.equal([]);
      await unbury();
      const { conflicts } = await unresolved(peered);
      expect([conflicts[0]?.fact_a.value.v, conflicts[0]?.fact_b.id]).to.deep.equal(['hidden', shown]);
      const facts = await peered.node.request('GET', '/v1/facts?entity=user:gone', { key: peered.reader });
      expect(facts.body.facts.map((fact: { value: { v: string } }) => fact.value.v)).to.deep.equal(['hidden']);
      const told = await peered.node.request('GET', '/v1/facts?relation=svc:conflict:status', { key: peered.reader });
      expect(told.body.total).to.equal(1);
    }
  });

  it('begin anew, or go on, once tombstones hide nothing', async () => {
    for (const comesBefore of [true, false]) {
      const { bury, say, sayHidden, reader, startShowing } = await start(true);
      await say('shown', { confidence: 0.5 });
      if (comesBefore) await sayHidden('hidden');
      await bury();
      if (!comesBefore) await sayHidden('hidden');
      const node = await startShowing();
      const { body } = await node.request('GET', '/v1/conflicts', { key: reader });
      expect(body.conflicts[0]?.fact_a.value.v).to.equal('hidden');
      const facts = await node.request('GET', '/v1/facts?entity=user:gone', { key: reader });
      expect(facts.body.facts.map((fact: { value: { v: string } }) => fact.value.v)).to.deep.equal(['hidden']);
      expect(facts.body.facts[0].contradicted).to.equal(true);
    }
  });

  /** More than all members of a conflict and all facts of a place that the node reads at once. */
  const CROWD = 1_200;
  const CROWDED: Readonly<Record<string, (on: PeeredNode) => Promise<void>>> = {
    'behind more hidden facts than the node reads of a place': async ({ bury, crowdHidden, say }) => {
      await bury();
      await crowdHidden(CROWD);
      await say('shown', { confidence: 0.5 });
      await say('shown too', { confidence: 0.25 });
    },
    'although a crowd comes and is hidden later': async ({ bury, crowdHidden, say }) => {
      await say('shown', { confidence: 0.5 });
      await say('shown too', { confidence: 0.25 });
      await crowdHidden(CROWD);
      await bury();
    },
    'although many visible facts agree': async ({ bury, sayHidden, say }) => {
      for (let n = 1; n <= 70; n += 1) await say('shown', { confidence: n / 100 });
      await sayHidden('hidden');
      await say('shown too', { confidence: 0.005 });
      await bury();
    },
  };

  for (const [title, story] of Object.entries(CROWDED)) {
    it(`are not lost ${title}`, async () => {
      const peered = await start(true);
      await story(peered);
      const { conflicts } = await unresolved(peered);
      expect(conflicts.map((one: { fact_a: { value: { v: string } } }) => one.fact_a.value.v)).to.deep.equal([
        'shown too',
      ]);
      const { body } = await peered.node.request('GET', '/v1/facts?entity=user:gone', { key: peered.reader });
      const shown = body.facts.map((fact: { value: { v: string } }) => fact.value.v);
      expect(new Set(shown)).to.deep.equal(new Set(['shown']));
      expect(body.facts[0].contradicted).to.equal(true);
    });
  }

  it('are settled, in a crowd, by a fact that replaces all that is visible', async () => {
    const peered = await start(true);
    const { bury, crowdHidden, say } = peered;
    await bury();
    await crowdHidden(100);
    const shown = [await say('shown', { confidence: 0.5 }), await say('shown too', { confidence: 0.25 })];
    expect((await unresolved(peered)).conflicts[0].fact_a.id).to.equal(shown[1]);
    const settling = await say('settled', { confidence: 0.1, replaces: shown });
    expect((await unresolved(peered)).conflicts).to.deep.equal([]);
    expect((await unresolved(peered, '&status=all')).conflicts[0].resolved_by).to.equal(settling);
  });
});
