import { expect } from 'chai';
import { Facts, NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const DRAFT = {
  entity: 'user:alice',
  relation: 'memory:role',
  value: { type: 'string', v: 'CEO', interpretAs: 'content' },
  source: 'agent:far',
  confidence: 1,
  scope: 'public',
} as const;

forEachStore('a fact that a peer sends', () => {
  let node: TestNode | undefined;
  afterEach(() => node?.stop());

  const start = async (maxStampLeadS: number): Promise<TestNode> => {
    node = await startTestNode({ plugins: ['facts', 'node-info'], node: { maxStampLeadS } });
    return node;
  };
  /** Returns the code of each refusal, and `stored` for accepted facts. */
  const take = async (started: TestNode, drafts: readonly Record<string, unknown>[]): Promise<string[]> => {
    const peer = { ...nodePrincipal(started.kernel.get(NodeSelf).names), kind: 'node' };
    const all = drafts.map((draft, at) => ({ ...DRAFT, id: `theirs-${at}`, hlcText: '1.0', ...draft }));
    const verdicts = await started.kernel.get(Facts).appendAll(all, peer, { origin: 'peer' });
    return verdicts.map((verdict) => (verdict.kind === 'stored' ? 'stored' : verdict.error.code));
  };

  it('is checked against physical time, even if others have advanced the clock', async () => {
    const started = await start(300);
    const nowMs = started.clock.nowMs();
    const stamps = [nowMs + 300_000, nowMs + 300_001, nowMs + 600_000, 0].map((wallMs) => ({ hlcText: `${wallMs}.0` }));
    expect(await take(started, stamps)).to.deep.equal(['stored', 'hlc_skew', 'hlc_skew', 'stored']);
    const head = await started.facts.read(nodePrincipal(started.kernel.get(NodeSelf).names), 'get', ({ snapshot }) =>
      snapshot.head(),
    );
    expect(head?.wallMs).to.equal(nowMs + 300_000);
  });

  it('may have a stamp of any time when the bound is disabled', async () => {
    const started = await start(0);
    expect(await take(started, [{ hlcText: `${started.clock.nowMs() + 1_000_000}.0` }])).to.deep.equal(['stored']);
  });

  it('is refused for a counter so high that no local stamp could follow', async () => {
    const started = await start(300);
    const counters = [2 ** 20, 2 ** 20 + 1, 2 ** 31 - 1].map((counter) => ({ hlcText: `1772442000000.${counter}` }));
    expect(await take(started, counters)).to.deep.equal(['stored', 'hlc_skew', 'hlc_skew']);
  });

  it('is refused without a valid stamp', async () => {
    const started = await start(300);
    const stamps = ['', '1', '1.2.3', '-1.0', '1e3.0', ' 1.0', '١.٠', `${'9'.repeat(20)}.0`, '1.4294967296'];
    const codes = await take(started, [...stamps.map((hlcText) => ({ hlcText })), { hlcText: undefined }]);
    expect(new Set(codes)).to.deep.equal(new Set(['validation']));
  });

  it('is refused if it is a system fact that each node writes for itself', async () => {
    const started = await start(300);
    const drafts = [
      { relation: 'svc:ttl', entity: 'svc:fact:theirs' },
      { relation: 'svc:received_from' },
      { entity: 'SVC:fact:x' },
      { source: 'system:svc' },
      { entity: 'svc://host/project/x' },
    ];
    const refused = 'reserved_namespace';
    expect(await take(started, drafts)).to.deep.equal([refused, refused, refused, refused, 'stored']);
  });
});
