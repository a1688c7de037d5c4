import type { Client } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { estimateTokens } from '../../../plugins/recall/fact-line.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { call, connectClient, made, REVISIONS } from './mcp-kit.ts';

const CORE = ['assert', 'card', 'conflicts', 'fact', 'forget', 'neighbors', 'query', 'recall', 'resolve'];
const MOST_TOKENS = 2_500;

forEachStore('the core tools', () => {
  let node: TestNode;
  let key: string;
  before(async () => {
    node = await startTestNode();
    key = await node.addKey({ entityUri: 'agent:noor' });
  });
  after(() => node.stop());

  for (const revision of REVISIONS) {
    describe(`by revision ${revision}`, () => {
      let client: Client;
      before(async () => {
        client = await connectClient(node, key, revision);
      });
      after(() => client.close());

      it('are listed with schemas and annotations', async () => {
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name).sort()).to.deep.equal(CORE);
        for (const { name, inputSchema, outputSchema, annotations } of tools) {
          expect(inputSchema.type, name).to.equal('object');
          expect(outputSchema?.type, name).to.equal('object');
          expect(annotations?.openWorldHint, name).to.equal(false);
        }
        const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
        expect(reading.sort()).to.deep.equal(['card', 'conflicts', 'fact', 'neighbors', 'query', 'recall']);
        const hiding = tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name);
        expect(hiding.sort()).to.deep.equal(['forget', 'resolve']);
      });

      it(`take at most ${MOST_TOKENS} tokens of a model's context`, async () => {
        const { tools } = await client.listTools();
        const text = JSON.stringify({ tools });
        // A cautious estimate of three characters a token: current models need fewer tokens for JSON.
        expect(Math.ceil(text.length / 3)).to.be.at.most(MOST_TOKENS);
        expect(estimateTokens(text)).to.be.at.most(MOST_TOKENS);
      });

      it('assert, find, summarise and connect facts, report contradictions, and resolve a conflict', async () => {
        const entity = `user:${revision}`;
        const role = { entity, relation: 'memory:role' };
        const { fact } = await made(client, 'assert', { ...role, value: 'archivist' });
        expect(fact).to.include({ entity, source: 'agent:noor', confidence: 1, scope: 'local' });
        expect(fact.value).to.deep.equal({ type: 'string', v: 'archivist' });
        await made(client, 'assert', { entity, relation: 'rel:works-at', value: { type: 'ref', v: 'org:library' } });
        const found = await made(client, 'query', role);
        expect(found).to.include({ total: 1, cursor: null });
        expect(found.facts[0].id).to.equal(fact.id);
        const recalled = await made(client, 'recall', { query: `${entity} archivist` });
        expect(recalled.facts.map(({ id }: { id: string }) => id)).to.include(fact.id);
        const { card } = await made(client, 'card', { entity });
        expect(card).to.include({ entity_uri: entity, has_contradictions: false });
        const { neighbors } = await made(client, 'neighbors', { entity });
        expect(neighbors).to.have.lengthOf(1);
        expect(neighbors[0]).to.include({ entity: 'org:library', relation: 'rel:works-at' });

        const rival = await made(client, 'assert', { ...role, value: 'director', derived_from: [fact.id] });
        const { conflicts } = await made(client, 'conflicts');
        expect(conflicts[0].members).to.have.members([fact.id, rival.fact.id]);
        const settled = await made(client, 'resolve', {
          conflict_id: conflicts[0].conflict_id,
          winning_fact_id: rival.fact.id,
          note: 'promoted',
        });
        expect(settled.conflict_status).to.equal('resolved');
        expect((await made(client, 'conflicts')).conflicts).to.deep.equal([]);
        expect((await made(client, 'query', role)).facts[0].value.v).to.equal('director');
      });

      it('correct a live fact, and name the live facts if the given one has ended', async () => {
        const role = { entity: `user:corrected-${revision}`, relation: 'memory:role' };
        const { fact } = await made(client, 'assert', { ...role, value: 'archivist' });
        const corrected = await made(client, 'assert', { ...role, value: 'director', replaces: [fact.id] });
        expect(corrected).not.to.have.property('contradicts');
        expect((await made(client, 'query', role)).facts.map(({ id }: { id: string }) => id)).to.deep.equal([
          corrected.fact.id,
        ]);
        const late = await call(client, 'assert', { ...role, value: 'curator', replaces: [fact.id] });
        expect(late.isError).to.equal(true);
        expect(late.content[0].text).to.include(corrected.fact.id);
      });

      it('return the refusal of a route as their own error', async () => {
        const gone = await call(client, 'resolve', { conflict_id: 'no-such-conflict', new_value: 'x' });
        expect(gone.isError).to.equal(true);
        expect(gone.structuredContent.error).to.include({ code: 'lookup', status: 404 });
        expect(gone.content[0].text).to.match(/\(lookup\)/);
        const wrong = await call(client, 'assert', { entity: 'user:x', relation: 'memory:role' });
        expect(wrong.isError).to.equal(true);
        expect(wrong.content[0].text).to.match(/arguments\.value/);
        const unknown = await call(client, 'query', { entty: 'user:secret-value' });
        expect(unknown.isError).to.equal(true);
        expect(unknown.content[0].text)
          .to.match(/entity/)
          .and.not.to.match(/secret-value/);
      });
    });
  }
});
