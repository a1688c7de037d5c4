import { definePlugin, Facts, type FactView, Random, sha256Hex } from 'fact-memory-node/plugin';
import { Recall, type Recalled, type ScoredFact, TokenCounter } from 'fact-memory-node/recall-api';

/** A recall plugin without an index: it returns the newest facts that share a word with the query. */

const MOST_FACTS = 100;

const createRecall = (facts: Facts, random: Random): Recall => ({
  async recall(caller, { query = '', entity, tokenBudget }) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const page = await facts.read(caller, 'recall', (reader) => reader.query({ entity, limit: MOST_FACTS }));
    const scored = page.facts
      .map((view) => scoredFact(view, words))
      .filter(({ score }) => score > 0 || words.length === 0);
    return packed(scored, tokenBudget, { recallId: random.uuid(), queryHash: sha256Hex(query) });
  },
});

const textOf = ({ fact }: FactView): string => String(fact.value.v ?? '');

const scoredFact = (view: FactView, words: readonly string[]): ScoredFact => {
  const text = textOf(view).toLowerCase();
  const lexical = words.length === 0 ? 1 : words.filter((word) => text.includes(word)).length / words.length;
  return {
    view,
    score: lexical,
    fused: lexical,
    stages: { lexical, semantic: 0, graph: 0 },
    named: 1,
    timed: 1,
    salience: {
      recency: 1,
      confidence: view.fact.confidence,
      contradiction: 1,
      sourceTrust: 1,
      gardenTier: 1,
      access: 0,
    },
    hops: 0,
    tokens: countTokens(text),
    fromCard: false,
  };
};

const countTokens = (text: string): number => Math.max(1, Math.ceil(text.length / 4));

const packed = (
  scored: readonly ScoredFact[],
  tokenBudget: number,
  ids: Pick<Recalled, 'recallId' | 'queryHash'>,
): Recalled => {
  const facts: ScoredFact[] = [];
  let tokensUsed = 0;
  for (const fact of scored) {
    if (tokensUsed + fact.tokens > tokenBudget) continue;
    tokensUsed += fact.tokens;
    facts.push(fact);
  }
  const omitted = { contradicted: 0, budget: scored.length - facts.length, repeated: 0 };
  return {
    ...ids,
    tokenBudget,
    tokensUsed,
    totalScored: scored.length,
    facts,
    omitted,
    degraded: [],
    members: new Map(),
  };
};

export const newestRecall = definePlugin({
  name: 'newest-recall',
  version: '1.0.0',
  kernelApi: 1,
  summary: 'Recalls the newest facts that share a word with the question',
  requires: { facts: Facts, random: Random },
  provides: [Recall, TokenCounter],
  setup({ use, provide }) {
    provide(Recall, createRecall(use.facts, use.random));
    provide(TokenCounter, { count: countTokens });
  },
});
