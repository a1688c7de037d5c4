import { expect } from 'chai';
import { Conflicts } from '../../../plugins/conflicts/conflicts-api.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const caller = createPrincipal({ entityUri: 'agent:judge' });
const reader = createPrincipal({ permissions: new Set(['read']) });
const codeOf = async (refused: Promise<unknown>): Promise<unknown> => (await rejection(refused))['code'];

forEachStore('conflicts without HTTP', () => {
  let node: TestNode;
  let conflicts: Conflicts;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts'] });
    conflicts = node.kernel.get(Conflicts);
  });
  afterEach(() => node.stop());

  /** Asserts two facts that contradict each other, and returns their ids. */
  const contradict = async (entity: string): Promise<string[]> => {
    const draft = (v: string) => ({
      entity,
      relation: 'memory:role',
      value: { type: 'string', v, interpretAs: 'content' } as const,
      source: 'agent:w',
      confidence: 1,
      scope: 'team' as const,
    });
    const ids: string[] = [];
    for (const v of ['a', 'b']) ids.push((await node.facts.append(draft(v), caller)).view.fact.id);
    await node.clock.advance(1);
    return ids;
  };

  it('are listed in pages, found by id and resolved', async () => {
    const members = await contradict('user:a');
    await contradict('user:b');
    const first = await conflicts.list(reader, { limit: 1 });
    expect([first.found[0]?.factA.fact.entity, first.more]).to.deep.equal(['user:b', true]);
    const { id = '', detectedMs = 0 } = first.found[0]?.record ?? {};
    const rest = await conflicts.list(reader, { limit: 1, after: { id, detectedMs } });
    expect([rest.found[0]?.factA.fact.entity, rest.more]).to.deep.equal(['user:a', false]);

    const recordId = rest.found[0]?.record.id ?? '';
    const { fact } = await conflicts.resolve(caller, recordId, { winningFactId: members[0], note: 'asked' });
    expect(fact).to.deep.include({ entity: 'user:a', source: 'agent:judge' });
    expect(fact.value.v).to.equal('a');
    const settled = await conflicts.get(reader, `svc:conflict:${recordId}`);
    expect(settled.record).to.include({ status: 'resolved', resolvedBy: fact.id });
    const again = conflicts.resolve(caller, recordId, { winningFactId: members[0] });
    expect(await codeOf(again)).to.equal('already_resolved');
  });

  it('are refused to callers without the permission, and unknown to callers who cannot see both facts', async () => {
    await contradict('user:a');
    const [known] = (await conflicts.list(reader, { limit: 1 })).found;
    const id = known?.record.id ?? '';
    const writer = createPrincipal({ permissions: new Set(['write']) });
    const ofPublic = createPrincipal({ allowedScopes: new Set(['public']) });
    const decision = { newValue: { type: 'string', v: 'c' } };
    expect(await codeOf(conflicts.list(writer, { limit: 1 }))).to.equal('authorization');
    expect(await codeOf(conflicts.get(writer, id))).to.equal('authorization');
    expect(await codeOf(conflicts.resolve(reader, id, decision))).to.equal('authorization');
    expect((await conflicts.list(ofPublic, { limit: 1 })).found).to.deep.equal([]);
    expect(await codeOf(conflicts.resolve(ofPublic, id, decision))).to.equal('lookup');
  });

  it('are not resolved by a decision that breaks a rule', async () => {
    const [member = ''] = await contradict('user:a');
    const id = (await conflicts.list(reader, { limit: 1 })).found[0]?.record.id ?? '';
    const settle = (decision: Parameters<Conflicts['resolve']>[2]) => codeOf(conflicts.resolve(caller, id, decision));
    expect(await settle({})).to.equal('validation');
    expect(await settle({ winningFactId: 'another' })).to.equal('validation');
    expect(await settle({ winningFactId: 'a\u0000' })).to.equal('validation');
    expect(await settle({ winningFactId: member, note: 'a\u0000' })).to.equal('validation');
    expect(await settle({ newValue: { type: 'number', v: '1' } })).to.equal('validation');
    expect(await codeOf(conflicts.get(reader, 'a\u0000'))).to.equal('lookup');
    expect(await codeOf(conflicts.list(reader, { limit: 501 }))).to.equal('validation');
    expect((await conflicts.get(reader, id)).record.status).to.equal('unresolved');
  });
});
