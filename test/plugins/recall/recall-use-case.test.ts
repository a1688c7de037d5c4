import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { COUNT_JSON, orNull } from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import {
  defineDegradation,
  defineRecallMember,
  type Question,
  Recall,
  type RecallAddition,
  recallAnswer,
} from '../../../plugins/recall/recall-api.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'gardens', 'recall', 'search'];
const PEER_UNREACHABLE = defineDegradation('peer_unreachable', { summary: 'another node could not be asked' });
const PEERS_ASKED = defineRecallMember('peers_asked', {
  summary: 'how many other nodes were asked',
  json: orNull(COUNT_JSON),
  absent: null,
});

/** A plugin that adds the given members to answers. */
const peers = (added: () => RecallAddition | undefined): AnyPlugin =>
  defineOwnPlugin({
    name: 'peers',
    declares: [PEER_UNREACHABLE, PEERS_ASKED],
    setup: ({ on }) => on(recallAnswer, added),
  });

describe('a member that a plugin adds to the recall answer', () => {
  it('cannot have the name of a built-in member', async () => {
    const taker = defineOwnPlugin({
      name: 'taker',
      declares: [defineRecallMember('facts', { summary: 'mine', json: {}, absent: null })],
      setup: () => undefined,
    });
    const error = await rejection(startTestNode({ plugins: [...PLUGINS, taker] }));
    expect(String(error.message)).to.contain('the member of a recall facts is declared by recall and by taker');
  });
});

forEachStore('recall called by a plugin, without HTTP', () => {
  let node: TestNode;
  let recall: Recall;
  let added: RecallAddition | undefined;
  let key: string;
  beforeEach(async () => {
    added = undefined;
    node = await startTestNode({ plugins: [...PLUGINS, peers(() => added)] });
    recall = node.kernel.get(Recall);
    key = await node.addKey({ entityUri: 'agent:caller' });
    for (const v of ['Ann keeps two grey cats', 'Bob feeds grey cats', 'Cem sails']) {
      const body = { entity: `user:${v}`, relation: 'memory:note', value: { type: 'text', v }, source: 'agent:s' };
      expect((await node.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
    }
  });
  afterEach(() => node.stop());

  const texts = ({ facts }: Awaited<ReturnType<Recall['recall']>>): unknown[] =>
    facts.map(({ view }) => view.fact.value.v);
  const refusal = async (question: Question, caller = createPrincipal(), session?: string) => {
    const { code, message } = await rejection(recall.recall(caller, question, { session }));
    return `${String(code)}: ${message}`;
  };

  it('answers a caller as it does over HTTP', async () => {
    const body = { query: 'grey cats', token_budget: 500 };
    const reply = await node.request('POST', '/v1/recall', { key, body });
    const recalled = await recall.recall(createPrincipal(), { query: 'grey cats', tokenBudget: 500 });
    expect(texts(recalled)).to.have.members(['Ann keeps two grey cats', 'Bob feeds grey cats']);
    expect(texts(recalled)).to.have.members(
      reply.body.facts.map(({ fact }: { fact: { value: { v: string } } }) => fact.value.v),
    );
    expect(recalled.tokensUsed).to.equal(reply.body.tokens_used);
    expect(recalled.queryHash).to.equal(reply.body.query_hash);
  });

  it('checks the rights of the caller', async () => {
    const question = { query: 'grey cats', tokenBudget: 500 };
    expect(await refusal(question, createPrincipal({ permissions: new Set(['write']) }))).to.match(/^authorization: /);
    const narrow = createPrincipal({ allowedScopes: new Set(['public']) });
    expect(texts(await recall.recall(narrow, question))).to.deep.equal([]);
    expect(await refusal({ ...question, scope: 'company' }, narrow)).to.match(/^authorization: /);
  });

  it('checks the values that routes check by their schemas', async () => {
    const question = { query: 'grey cats', tokenBudget: 500 };
    const refused: Readonly<Record<string, Question>> = {
      'validation: body.query is missing': { tokenBudget: 500 },
      'invalid_token_budget: body.token_budget': { ...question, tokenBudget: 0.5 },
      'recall_depth_exceeded: ': { ...question, depth: 1.5 },
      'invalid_weights: body.weights': { ...question, weights: { lexical: 0.5 } },
      'validation: body.lambda_mmr': { ...question, lambdaMmr: 2 },
      'validation: body.min_confidence': { ...question, minConfidence: -1 },
      'validation: body.limit': { ...question, limit: 501 },
    };
    for (const [start, wrong] of Object.entries(refused)) {
      const said = await refusal(wrong);
      expect(said.slice(0, start.length), said).to.equal(start);
    }
    expect(await refusal(question, createPrincipal(), 'x'.repeat(129))).to.match(/^session_id_too_long: /);
  });

  it('leaves out facts beyond the room that the calling plugin allows, and counts them', async () => {
    const question = { query: 'grey cats', tokenBudget: 500 };
    const { facts, omitted, tokensUsed } = await recall.recall(createPrincipal(), question, { room: async () => 1 });
    expect(facts).to.have.length(1);
    expect(omitted).to.deep.equal({ contradicted: 0, budget: 1, repeated: 0 });
    expect(tokensUsed).to.equal(facts[0]?.tokens);
  });

  it('includes what plugins add: reasons, counts and members', async () => {
    const body = { query: 'grey cats', token_budget: 500 };
    const ask = async () => (await node.request('POST', '/v1/recall', { key, body })).body;
    expect(await ask()).to.deep.include({ peers_asked: null, degraded: [], tombstone_notices: [], chain_proof: null });
    added = {
      degraded: [PEER_UNREACHABLE, PEER_UNREACHABLE],
      omitted: { elsewhere: 3, budget: 2 },
      members: { peers_asked: 4 },
    };
    expect(await ask()).to.deep.include({
      peers_asked: 4,
      degraded: ['peer_unreachable'],
      omitted: { contradicted: 0, budget: 2, elsewhere: 3, repeated: 0 },
      truncated: true,
    });
    added = { members: { nobody_declares: 1 } };
    expect((await node.request('POST', '/v1/recall', { key, body })).status).to.equal(500);
  });
});
