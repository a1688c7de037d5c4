import { expect } from 'chai';
import fc from 'fast-check';
import { type FactDraft, NodeSelf, nodePrincipal, SCOPES } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { gardenDoors } from '../cards/cards-node.ts';
import { INSTRUCTION_PLUGINS, type InstructionsNode, startInstructionsNode, unit, uriOf } from './instructions-node.ts';

const [ROSES, HERBS] = ['6f1f6d5e-0000-4000-8000-000000000001', '6f1f6d5e-0000-4000-8000-000000000002'] as const;
const DOORS = gardenDoors({ 'agent:roses': [ROSES], 'agent:keeper': 'all' });
const MAY_CLAIM = ['read', 'write', 'instruction:write'] as const;
const NAMES = ['deploy', 'rollback', 'safety'] as const;

forEachStore('replies about instructions in a store with hidden facts', () => {
  let made: InstructionsNode;
  afterEach(() => made.node.stop());

  /** Stores a fact as the owner of the manifests, with any scope or garden in `members`. */
  const plant = (entity: string, v: string, members: Partial<FactDraft>) => {
    const owner = { ...nodePrincipal(made.node.kernel.get(NodeSelf).names), entityUri: 'agent:test' };
    const value = { type: 'text', v, interpretAs: 'content' } as const;
    const draft = { entity, relation: 'instruction:content', value, source: 'agent:s', confidence: 1 };
    return made.node.facts.append({ ...draft, scope: 'local', ...members }, owner);
  };

  it('are the same, byte for byte, with and without hidden facts', async () => {
    made = await startInstructionsNode({ plugins: [...INSTRUCTION_PLUGINS, DOORS] });
    const reader = await made.node.addKey({ scopes: ['local'], permissions: MAY_CLAIM });
    const hidden = fc.array(
      fc.record({
        name: fc.constantFrom(...NAMES, 'manifest'),
        relation: fc.constantFrom('instruction:content', 'instruction:other'),
        v: fc.constantFrom('deploy deploy', 'secret', ''),
        confidence: fc.constantFrom(0, 0.3, 1),
        place: fc.constantFrom(...SCOPES.slice(1), ROSES, HERBS),
      }),
      { maxLength: 8 },
    );
    let n = 0;
    await fc.assert(
      fc.asyncProperty(hidden, async (facts) => {
        n += 1;
        const agents = [`bare-${n}`, `also-${n}`] as const;
        const [, among] = agents;
        for (const agent of agents) await plant(uriOf('deploy', 'v1', agent), 'push it', {});
        for (const { name, relation, v, confidence, place } of facts) {
          const scope = SCOPES.find((known) => known === place);
          const where = scope === undefined ? { gardenId: place } : { scope };
          await plant(uriOf(name, 'v1', among), v, { relation, confidence, ...where });
        }
        const shown = async (agent: string): Promise<string> => {
          const asked = { agent, key: reader };
          const entries = NAMES.map((name) => unit(name, { guarantee_load: name === 'safety' }, agent));
          const replies = [
            await made.publish('v1', entries, { skip_coverage_gate: false }, asked),
            await made.publish('v1', entries, {}, asked),
            await made.manifest(asked),
            await made.recall({ intent: 'about deploy or rollback' }, asked),
            await made.recall({ intent: 'x', manifest_hint: [...NAMES], token_budget: 2 }, asked),
          ];
          const text = JSON.stringify(replies.map(({ status, body }) => [status, body]));
          return text.replaceAll(agent, 'agent').replace(/audi_[\w-]{22}|"request_id":"[^"]*"|T[\d:.]+Z/g, '…');
        };
        expect(await shown(among)).to.equal(await shown(agents[0]));
      }),
      { numRuns: Math.min(RUNS, 15) },
    );
  });

  it('contain more for readers with more permissions', async () => {
    made = await startInstructionsNode({ plugins: [...INSTRUCTION_PLUGINS, DOORS] });
    await made.published('v1', [unit('deploy')]);
    await plant(uriOf('deploy'), 'for all', {});
    await plant(uriOf('deploy'), 'for friends of roses', { gardenId: ROSES });
    const heard: unknown[] = [];
    for (const entityUri of ['agent:stranger', 'agent:roses', 'agent:keeper']) {
      const key = await made.node.addKey({ entityUri });
      heard.push((await made.recalled({ intent: 'deploy' }, { key })).chunks[0].content);
    }
    expect(heard).to.deep.equal(['for all', 'for friends of roses', 'for friends of roses']);
  });

  it('contain no manifest, owner, content or token of another tenant', async () => {
    made = await startInstructionsNode({ settings: { 'multi-tenant': { enabled: true } } });
    const other = await made.node.addKey({ entityUri: 'agent:test', tenantId: 'acme' });
    const second = await made.node.addKey({ entityUri: 'agent:second', tenantId: 'acme', permissions: MAY_CLAIM });
    await made.say('deploy', 'of the first tenant');
    await made.published('v1', [unit('deploy')]);
    for (const key of [other, second]) {
      expect((await made.manifest({ key })).body.code).to.equal('manifest_not_found');
      expect((await made.recall({ intent: 'deploy' }, { key })).body.code).to.equal('manifest_not_found');
    }
    const report = (await made.published('v1', [unit('deploy', { description: 'else' })], {}, { key: second }))
      .coverage_report;
    expect(report[0].passed).to.equal(false);
    expect((await made.recalled({ intent: 'else' }, { key: second })).chunks).to.deep.equal([]);
    expect((await made.manifest()).body.entries[0].description).to.equal('about deploy');
    expect((await made.publish('v2', [], {}, { key: other })).status).to.equal(403);
    const { audit_token } = await made.recalled({ intent: 'deploy' });
    const body = { audit_token };
    const reply = await made.node.request('POST', '/v1/instruction/audit', { key: other, body });
    expect([reply.status, reply.body.code]).to.deep.equal([422, 'audit_token_invalid']);
  });
});
