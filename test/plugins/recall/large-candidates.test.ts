import { expect } from 'chai';
import type { FactDraft } from '../../../kernel/plugin-api.ts';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { refDraft, WRITER } from '../graph/ref-drafts.ts';

const MEBIBYTE = 1024 * 1024;
/** 40 facts of 700 KB are more than a recall reads of its candidates and packed facts together. */
const FITTING = 40;
const FITTING_BYTES = 700_000;
const TOO_LARGE = 12;
const SMALL = 5;
/** The limits of the long values of candidates and of packed facts, and room for all other columns. */
const MOST_OF_CANDIDATES = 16 * MEBIBYTE;
const MOST_OF_PACKED = 8 * MEBIBYTE;
const BESIDES = MEBIBYTE;

const textDraft = (entity: string, n: number, v: string): FactDraft => ({
  ...refDraft(entity, ''),
  relation: `memory:n${n}`,
  value: { type: 'text', v, interpretAs: 'content' },
  confidence: 1 - n / 1000,
});

const noted = (n: number, bytes: number): string => `note ${n} of the harbour `.padEnd(bytes, 'x');

forEachStore('a recall among facts with very large values', () => {
  const counter = createStoreCounter();
  let node: TestNode;
  let key: string;
  before(async function () {
    this.timeout(300_000);
    node = await startTestNode({
      plugins: ['keys', 'facts', 'conflicts', 'recall', 'search'],
      wrapStore: counter.count,
    });
    key = await node.addKey();
    const write = async (drafts: readonly FactDraft[]): Promise<void> => {
      for (const draft of drafts) await node.facts.append(draft, WRITER);
    };
    await write(Array.from({ length: TOO_LARGE }, (_, n) => textDraft('user:huge', n, noted(n, MEBIBYTE))));
    await write(Array.from({ length: SMALL }, (_, n) => textDraft('user:huge', 100 + n, noted(100 + n, 40))));
    await write(Array.from({ length: FITTING }, (_, n) => textDraft('user:large', n, noted(n, FITTING_BYTES))));
    // The first recall waits for the index, which reads all values.
    await recall({ query: 'harbour', token_budget: 1 });
  });
  after(() => node.stop());

  const recall = async (members: object) => {
    let reply = { status: 0, text: '', body: undefined as unknown };
    const { characters } = await counter.during(async () => {
      reply = await node.request('POST', '/v1/recall', { key, body: { limit: 500, ...members } });
    });
    expect(reply.status, reply.text.slice(0, 300)).to.equal(200);
    const body = reply.body as {
      readonly facts: readonly {
        readonly fact: { readonly id: string; readonly value: { readonly v: string } };
        readonly value_length?: number;
      }[];
      readonly total_scored: number;
      readonly tokens_used: number;
      readonly omitted: { readonly budget: number };
      readonly why_not?: readonly { readonly stage: string }[];
    };
    return { ...body, characters };
  };

  for (const token_budget of [500, 200_000]) {
    it(`reads no value that cannot fit into ${token_budget} tokens, and counts its fact as left out`, async () => {
      const { facts, characters, total_scored, omitted } = await recall({ entity: 'user:huge', token_budget });
      expect([facts.length, total_scored, omitted.budget]).to.deep.equal([SMALL, SMALL + TOO_LARGE, TOO_LARGE]);
      expect(characters).to.be.at.most(BESIDES);
    });
  }

  it('finds the same facts by a query', async () => {
    const { facts, characters, omitted } = await recall({ query: 'note of the harbour', token_budget: 500 });
    expect(facts.map(({ fact }) => fact.value.v.length)).to.deep.equal(Array.from({ length: SMALL }, () => 40));
    expect([omitted.budget, characters <= BESIDES]).to.deep.equal([TOO_LARGE + FITTING, true]);
  });

  it('reads a limited number of bytes of values that fit one by one, and returns the best one whole', async () => {
    const { facts, characters, total_scored, omitted, tokens_used } = await recall({
      entity: 'user:large',
      token_budget: 200_000,
    });
    expect(facts.map(({ fact }) => fact.value.v)).to.deep.equal([noted(0, FITTING_BYTES)]);
    expect([total_scored, omitted.budget]).to.deep.equal([FITTING, FITTING - 1]);
    expect(tokens_used).to.be.within(FITTING_BYTES / 4, 200_000);
    expect(characters).to.be.at.most(MOST_OF_CANDIDATES + FITTING_BYTES + BESIDES);
  });

  it('names the budget as the reason why a fact whose value was not read is not there', async () => {
    const all = await node.request('GET', '/v1/facts?entity=user:huge&relation=memory:n3&fields=id', { key });
    const [{ id }] = all.body.facts as [{ readonly id: string }];
    const { why_not, characters } = await recall({ entity: 'user:huge', token_budget: 500, why_not: [id] });
    expect([why_not?.map(({ stage }) => stage), characters <= BESIDES]).to.deep.equal([['budget'], true]);
  });

  it('returns the facts for which it reads the values, if the caller cuts them, and counts the others', async () => {
    const members = { fields: 'id,value', max_value_bytes: 100, token_budget: 200_000 };
    const { facts, characters, total_scored, omitted } = await recall({ entity: 'user:large', ...members });
    expect(facts.length).to.be.within(30, FITTING - 1);
    for (const { fact, value_length } of facts) {
      expect([fact.value.v.length, value_length]).to.deep.equal([100, FITTING_BYTES]);
    }
    expect([total_scored, omitted.budget]).to.deep.equal([FITTING, FITTING - facts.length]);
    expect(characters).to.be.at.most(MOST_OF_CANDIDATES + MOST_OF_PACKED + BESIDES);
  });
});
