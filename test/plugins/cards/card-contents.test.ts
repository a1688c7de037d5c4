import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { sha256Hex } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { CARD_PLUGINS, type CardsNode, ENTITY, startCardsNode } from './cards-node.ts';

const hashesOf = (facts: readonly { readonly id: string }[]): string[] => facts.map(({ id }) => sha256Hex(id));
const linesOf = (card: { readonly summary: string }): string[] => card.summary.split('\n');

forEachStore('the text of a card', () => {
  let cards: CardsNode;
  beforeEach(async () => {
    cards = await startCardsNode();
  });
  afterEach(() => cards.node.stop());

  it('lists the facts, strongest first, then newest', async () => {
    const weak = await cards.say('memory:city', 'Oslo', { confidence: 0.5 });
    const early = await cards.say('memory:role', 'engineer');
    await cards.node.clock.advance(1_000);
    const late = await cards.say('memory:team', 'search');
    expect(await cards.card()).to.deep.equal({
      entity_uri: ENTITY,
      scope: 'local',
      summary: '## noor\n- memory:team: search\n- memory:role: engineer\n- memory:city: Oslo',
      fact_hashes: hashesOf([late, early, weak]),
      avg_confidence: 0.833333,
      refreshed_at: '2026-03-02T09:00:01.000Z',
      is_stale: false,
      card_stale: false,
      has_contradictions: false,
      contradicted_count: 0,
    });
  });

  it('covers only the requested scope', async () => {
    await cards.say('memory:role', 'engineer');
    await cards.say('memory:role', 'speaker', { scope: 'public' });
    expect((await cards.card({ query: '?scope=public' })).summary).to.equal('## noor\n- memory:role: speaker');
    expect(await cards.card({ query: '?scope=public' })).to.include({ scope: 'public', contradicted_count: 0 });
  });

  it('contains at most the twenty strongest facts', async () => {
    const facts = [];
    for (let n = 0; n < 23; n += 1) {
      facts.push(await cards.say(`memory:n${n}`, `value ${n}`, { confidence: (n + 1) / 100 }));
    }
    const card = await cards.card();
    expect(card.fact_hashes).to.deep.equal(hashesOf(facts.slice(3).reverse()));
    expect(linesOf(card)).to.have.length(21);
    expect(card.avg_confidence).to.equal(0.135);
  });

  it('lists all contradicting facts with confidence and source, and declares no winner', async () => {
    for (const [v, confidence, source] of [
      ['Oslo', 1, 'agent:a'],
      ['Bergen', 0.4, 'agent:b'],
      ['Tromsø', 0.9, 'agent:c'],
    ] as const) {
      await cards.say('memory:city', v, { confidence, source });
    }
    await cards.say('memory:role', 'engineer', { confidence: 0.95 });
    const card = await cards.card();
    expect(linesOf(card)).to.deep.equal([
      '## noor',
      '- memory:city, contradicted: Oslo (confidence 1, agent:a) | Tromsø (confidence 0.9, agent:c) | Bergen (confidence 0.4, agent:b)',
      '- memory:role: engineer',
    ]);
    expect(card).to.include({ has_contradictions: true, contradicted_count: 1 });
    expect(card.fact_hashes).to.have.length(4);
  });

  it('includes weak facts that contradict a strong one', async () => {
    for (let n = 0; n < 25; n += 1) await cards.say(`memory:n${n}`, `value ${n}`, { confidence: 0.9 });
    await cards.say('memory:city', 'Oslo');
    await cards.say('memory:city', 'Bergen', { confidence: 0.1 });
    const card = await cards.card();
    expect(card.fact_hashes).to.have.length(20);
    expect(linesOf(card)[1]).to.match(/Oslo.*\| Bergen/);
    expect(linesOf(card)).to.have.length(20);
  });

  it('shows how many contradicting facts it leaves out', async () => {
    for (let n = 0; n < 23; n += 1) await cards.say('memory:city', `city ${n}`);
    const card = await cards.card();
    expect(card.fact_hashes).to.have.length(20);
    expect(card.summary).to.match(/ \| and 3 more$/);
    expect(card.contradicted_count).to.equal(1);
  });

  it('states how many relations have contradicting values', async () => {
    for (const relation of ['memory:city', 'memory:role']) {
      for (const v of ['one', 'another', 'a third']) await cards.say(relation, v);
    }
    await cards.say('memory:team', 'search');
    expect(await cards.card()).to.include({ contradicted_count: 2, has_contradictions: true });
  });

  it('is the same for all spellings of an entity, and uses the spelling of the caller', async () => {
    await cards.say('memory:role', 'engineer', { entity: 'svc://Alpha.example/user/Noor Lind' });
    const [stored, other] = ['SVC://alpha.EXAMPLE/User/noor lind', 'svc://alpha.example/user/noor-lind'];
    const first = await cards.card({ entity: stored });
    await cards.node.clock.advance(5_000);
    const second = await cards.card({ entity: other });
    expect([first.entity_uri, second.entity_uri]).to.deep.equal([stored, other]);
    expect({ ...first, entity_uri: '' }).to.deep.equal({ ...second, entity_uri: '' });
    expect(first.summary).to.match(/^## Noor Lind\n/);
    expect(await cards.cardFacts({ entity: other })).to.have.length(1);
  });

  it('has one line for each relation, with any values', async () => {
    const hostile = fc
      .array(
        fc.oneof(fc.constantFrom('\n', '\r\n- x:y: z', '\u2028', '\u0085', '\u0007', '\u001b[2J', '😀'), fc.string()),
        {
          maxLength: 40,
        },
      )
      .map((parts) => `v${parts.join('')}`.replaceAll('\u0000', '').toWellFormed());
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 4 }), async (values) => {
        n += 1;
        const entity = `user:${n}`;
        for (const [at, v] of values.entries()) await cards.say(`memory:r${at % 3}`, v, { entity });
        const lines = linesOf(await cards.card({ entity }));
        expect(lines).to.have.length(1 + Math.min(3, values.length));
        for (const line of lines) {
          expect(line).to.match(/^(## |- memory:r)/);
          expect(/\p{Cc}|[\u2028\u2029]/u.test(line)).to.equal(false);
          expect(line.isWellFormed()).to.equal(true);
        }
      }),
      { numRuns: Math.min(RUNS, 40) },
    );
  });

  it('shortens long values', async () => {
    await cards.say('memory:note', '', { value: { type: 'text', v: `${'x'.repeat(279)}😀${'y'.repeat(300_000)}` } });
    const [, line] = linesOf(await cards.card());
    expect(line).to.equal(`- memory:note: ${'x'.repeat(279)}😀…`);
  });
});

forEachStore('the average confidence of a card', () => {
  it('weighs each fact by the trust in its source', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'rules.json');
      await writeFile(file, JSON.stringify({ default: 1, sources: { 'agent:other': 0.5, 'agent:bad': 0.2 } }));
      const env = { SVC_TRUST_RULES_FILE: file };
      const cards = await startCardsNode({ plugins: [...CARD_PLUGINS, 'source-trust'], env });
      await cards.say('memory:a', 'x', { source: 'agent:good', confidence: 0.9 });
      await cards.say('memory:b', 'x', { source: 'agent:bad', confidence: 0.8 });
      await cards.say('memory:c', 'x', { source: 'agent:other', confidence: 0.7 });
      const { avg_confidence } = await cards.card();
      await cards.node.stop();
      expect(avg_confidence).to.equal(Number(((0.9 + 0.8 * 0.6 + 0.7 * 0.75) / 3).toFixed(6)));
    }));
});
