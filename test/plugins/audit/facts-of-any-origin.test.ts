import { expect } from 'chai';
import { type FactDraft, NodeSelf } from '../../../kernel/plugin-api.ts';
import { ADMIN_ACTION, Audit, AuditLog, type RecordedEntry } from '../../../plugins/audit/audit-api.ts';
import { FACT_WRITE } from '../../../plugins/audit/audit-words.ts';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import { exportLines, importAll } from '../transfer/transfer-node.ts';

const draft = (n: number): FactDraft => ({
  entity: `user:${n}`,
  relation: 'memory:n',
  value: { type: 'number', v: n, interpretAs: 'content' },
  source: 'agent:Src',
  confidence: 1,
  scope: 'local',
});

const writer = createPrincipal({ entityUri: 'agent:w', oidcSub: 'person-1' });

const logOf = async (node: TestNode, tenantId = 'default'): Promise<readonly RecordedEntry[]> => {
  const auditor = createPrincipal({ permissions: new Set(['audit.read']), tenantId });
  return (await node.kernel.get(Audit).log(auditor, {}, { limit: 1000 })).entries;
};

forEachStore('the audit entry of a fact', () => {
  const nodes: TestNode[] = [];
  const start = async (options: TestNodeOptions): Promise<TestNode> => {
    const url = `http://node${nodes.length}.example`;
    const node = await startTestNode({ random: createSeededRandom(nodes.length + 1), url, ...options });
    nodes.push(node);
    return node;
  };
  afterEach(async () => {
    for (const node of nodes.splice(0).reverse()) await node.stop();
  });

  const append = async ({ facts }: TestNode, n: number, caller = writer): Promise<string> =>
    (await facts.append(draft(n), caller)).view.fact.id;

  it('is found for facts stored while the plugin was off, and by processes without it', async () => {
    const without = await start({ plugins: ['facts'] });
    const before = await append(without, 1);
    const { folder } = without;
    const node = await start({ plugins: ['audit', 'facts'], folder });
    await node.kernel.get(AuditLog).record({ event: ADMIN_ACTION, tenantId: 'default', entityUri: 'agent:ops' });
    const after = await append(node, 2);
    const beside = await append(without, 3, createPrincipal({ entityUri: 'agent:other' }));
    const log = await logOf(node);
    expect(log.map(({ factId, entityUri }) => [factId, entityUri])).to.deep.equal([
      [before, 'agent:w'],
      [null, 'agent:ops'],
      [after, 'agent:w'],
      [beside, 'agent:other'],
    ]);
    expect(log[0]).to.include({ event: 'fact_write', oidcSub: 'person-1', source: 'agent:Src', detail: null });
    await node.stop();
    expect(await logOf(await start({ plugins: ['audit', 'facts'], folder }))).to.deep.equal(log);
  });

  it('names the node as actor for an imported fact, and the time of the import', async () => {
    const source = await start({ plugins: ['audit', 'facts', 'transfer'] });
    const ids = [await append(source, 1), await append(source, 2)];
    const target = await start({ plugins: ['audit', 'facts', 'transfer'] });
    await target.clock.advance(60_000);
    expect(await importAll(target, await exportLines(source))).to.include({ stored: 2 });
    const log = await logOf(target);
    expect(log.map(({ factId }) => factId)).to.deep.equal(ids);
    const entityUri = target.kernel.get(NodeSelf).names.systemSource;
    for (const entry of log) {
      expect(entry).to.include({ event: 'fact_write', entityUri, oidcSub: null, tsMs: target.clock.nowMs() });
    }
    const ofSource = await logOf(source);
    const allIds = [...log, ...ofSource].map(({ id }) => id);
    expect(new Set(allIds), 'other nodes have other entries').to.have.lengthOf(4);
  });

  it('has a number from the sequence of its own tenant', async () => {
    const node = await start({ plugins: ['audit', 'facts'] });
    const audit = node.kernel.get(AuditLog);
    const seqs: Record<string, number[]> = { t1: [], t2: [] };
    for (let n = 0; n < 4; n += 1) {
      for (const tenantId of ['t1', 't2']) {
        await append(node, n, createPrincipal({ tenantId }));
        await audit.record({ event: ADMIN_ACTION, tenantId, entityUri: 'agent:ops' });
      }
    }
    for (const tenantId of ['t1', 't2']) seqs[tenantId] = (await logOf(node, tenantId)).map(({ seq }) => seq);
    expect(seqs).to.deep.equal({ t1: [1, 2, 3, 4, 5, 6, 7, 8], t2: [1, 2, 3, 4, 5, 6, 7, 8] });
    const ids = (await Promise.all(['t1', 't2'].map((tenantId) => logOf(node, tenantId)))).flat().map(({ id }) => id);
    expect(new Set(ids)).to.have.lengthOf(16);
  });

  it('needs no extra write when the fact is stored', async () => {
    const statements: number[] = [];
    for (const plugins of [['facts'], ['audit', 'facts']]) {
      const counter = createStoreCounter();
      const node = await start({ plugins, wrapStore: (store) => counter.count(store) });
      await append(node, 0);
      statements.push((await counter.during(() => append(node, 1))).statements);
    }
    expect(statements[1]).to.equal(statements[0]);
  });

  it('cannot be written by plugins', async () => {
    const node = await start({ plugins: ['audit', 'facts'] });
    const audit = node.kernel.get(AuditLog);
    const entry = { event: FACT_WRITE, tenantId: 'default', entityUri: 'agent:w' };
    for (const refused of [audit.record(entry), audit.recordRejection(entry)]) {
      expect((await rejection(refused)).message).to.include('stored facts have that entry by themselves');
    }
    expect(await logOf(node)).to.deep.equal([]);
  });
});
