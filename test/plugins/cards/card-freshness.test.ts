import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { CARD_PLUGINS, type CardsNode, ENTITY, startCardsNode } from './cards-node.ts';

const HOUR_MS = 3_600_000;

forEachStore('a card', () => {
  let cards: CardsNode;
  beforeEach(async () => {
    cards = await startCardsNode({ env: { SVC_CARD_MAX_AGE_S: '7200' } });
  });
  afterEach(() => cards.node.stop());

  const iso = (afterMs: number) => new Date(cards.node.clock.nowMs() + afterMs).toISOString();
  /** Advances the clock, so that the time of a card reveals a refresh. */
  const later = () => cards.node.clock.advance(1_000);
  const isKept = async (): Promise<void> => {
    const before = await cards.card();
    await later();
    expect(await cards.card()).to.deep.equal(before);
  };
  /** Reads the card, performs the action, and returns the next card, which must be a new one. */
  const renewedBy = async (cause: () => Promise<unknown>) => {
    const before = await cards.card();
    await later();
    await cause();
    const after = await cards.card();
    expect(after.refreshed_at).not.to.equal(before.refreshed_at);
    expect(after).to.include({ is_stale: false, card_stale: false });
    expect(after).not.to.have.property('force_refresh_timeout');
    await isKept();
    return after;
  };

  it('stays the same while only facts of other entities change', async () => {
    await cards.say('memory:role', 'engineer');
    const before = await cards.card();
    await later();
    await cards.say('memory:role', 'pilot', { entity: 'svc://alpha.example/user/other' });
    await cards.say('memory:role', 'pilot', { scope: 'company' });
    expect(await cards.card()).to.deep.equal(before);
  });

  it('is refreshed when a fact is added', async () => {
    await cards.say('memory:role', 'engineer');
    const { summary } = await renewedBy(() => cards.say('memory:city', 'Oslo', { entity: ENTITY.toUpperCase() }));
    expect(summary).to.include('Oslo').and.include('engineer');
  });

  it('is refreshed when one fact is added while another one ends', async () => {
    for (let n = 0; n < 20; n += 1) await cards.say(`memory:n${n}`, `value ${n}`);
    await cards.say('memory:weak', 'short-lived', { confidence: 0.1, valid_until: iso(1_000) });
    expect((await renewedBy(() => cards.say('memory:new', 'newest'))).summary).to.include('newest');
  });

  it('is refreshed when a fact is retracted', async () => {
    await cards.say('memory:role', 'engineer');
    await cards.say('memory:city', 'Oslo');
    const { summary } = await renewedBy(() => cards.say('memory:city', 'Oslo', { confidence: 0 }));
    expect(summary).to.equal('## noor\n- memory:role: engineer');
  });

  it('is refreshed when a fact expires, by its own date or by a time-to-live', async () => {
    await cards.say('memory:role', 'engineer');
    await cards.say('memory:city', 'Oslo', { valid_until: iso(HOUR_MS / 2) });
    const { id } = await cards.say('memory:team', 'search');
    const entity = `svc:fact:${id}`;
    await cards.say('svc:ttl', '', { entity, value: { type: 'datetime', v: iso(HOUR_MS) } });
    await renewedBy(() => cards.node.clock.advance(HOUR_MS / 2));
    expect((await cards.card()).summary).not.to.include('Oslo');
    const { summary } = await renewedBy(() => cards.node.clock.advance(HOUR_MS));
    expect(summary).to.equal('## noor\n- memory:role: engineer');
  });

  it('is refreshed when an expired fact becomes live again', async () => {
    await cards.say('memory:role', 'engineer');
    const { id } = await cards.say('memory:team', 'search');
    const live = (untilMs: number) =>
      cards.say('svc:ttl', '', { entity: `svc:fact:${id}`, value: { type: 'datetime', v: iso(untilMs) } });
    await live(500);
    await later();
    expect((await cards.card()).summary).not.to.include('search');
    expect((await renewedBy(() => live(HOUR_MS))).summary).to.include('search');
  });

  it('is refreshed when a contradiction opens, and when it is resolved', async () => {
    await cards.say('memory:city', 'Oslo');
    const open = await renewedBy(() => cards.say('memory:city', 'Bergen'));
    expect(open).to.include({ contradicted_count: 1, has_contradictions: true });
    const { key, node } = cards;
    const [conflict] = (await node.request('GET', '/v1/conflicts', { key })).body.conflicts;
    const resolved = await renewedBy(async () => {
      const body = { winning_fact_id: conflict.fact_a.id };
      const reply = await node.request('POST', `/v1/conflicts/${conflict.conflict_id}/resolve`, { key, body });
      expect(reply.status, reply.text).to.equal(200);
    });
    expect(resolved).to.include({ contradicted_count: 0, has_contradictions: false });
  });

  it('is refreshed once it is too old', async () => {
    await cards.say('memory:role', 'engineer');
    const before = await cards.card();
    await cards.node.clock.advance(2 * HOUR_MS);
    expect(await cards.card()).to.deep.equal(before);
    await cards.node.clock.advance(1);
    expect((await cards.card()).refreshed_at).to.equal(iso(0));
  });

  for (const query of ['?refresh=true', '?force_refresh=1', '?refresh=TRUE&force_refresh=false']) {
    it(`is refreshed for ${query}, though nothing has changed`, async () => {
      await cards.say('memory:role', 'engineer');
      const before = await cards.card();
      await later();
      const after = await cards.card({ query });
      expect(after).to.deep.equal({ ...before, refreshed_at: iso(0) });
      expect(await cards.cardFacts()).to.have.length(1);
    });
  }

  it('is refreshed when a clock that was far ahead is set back', async () => {
    const { clock } = cards.node;
    await cards.say('memory:role', 'engineer');
    const nowMs = clock.nowMs();
    clock.setNowMs(nowMs + 24 * HOUR_MS);
    const { refreshed_at } = await renewedBy(async () => clock.setNowMs(nowMs));
    expect(refreshed_at).to.equal(new Date(nowMs).toISOString());
  });

  it('is deleted when the last fact of its entity ends', async () => {
    await cards.say('memory:role', 'engineer', { valid_until: iso(2_000) });
    expect((await cards.ask()).status).to.equal(200);
    await cards.node.clock.advance(2_000);
    const reply = await cards.ask();
    expect([reply.status, reply.body.code]).to.deep.equal([404, 'lookup']);
  });

  it('is unchanged after a restart of the node', () =>
    inTemporaryFolder(async (folder) => {
      const { clock } = cards.node;
      const options = { store: 'sqlite', folder, clock } as const;
      const first = await startCardsNode(options);
      await first.say('memory:role', 'engineer');
      const before = await first.card();
      await first.node.stop();
      await later();
      const second = await startCardsNode(options);
      const after = await second.card();
      await second.node.stop();
      expect(after).to.deep.equal(before);
    }));

  it('is refreshed when the trust in its sources changes', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'rules.json');
      const start = async (trust: number) => {
        await writeFile(file, JSON.stringify({ default: trust }));
        const plugins = [...CARD_PLUGINS, 'source-trust'];
        return startCardsNode({ store: 'sqlite', folder, plugins, env: { SVC_TRUST_RULES_FILE: file } });
      };
      const first = await start(1);
      await first.say('memory:role', 'engineer');
      const before = (await first.card()).avg_confidence;
      await first.node.stop();
      const second = await start(0);
      const after = (await second.card()).avg_confidence;
      await second.node.stop();
      expect([before, after]).to.deep.equal([1, 0.5]);
    }));
});
