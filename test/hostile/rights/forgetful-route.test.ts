import { expect } from 'chai';
import { Authorizer, type FactDraft } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/** The route of this plugin checks nothing itself, so only the append checks its facts. */
forEachStore('A caller uses a plugin route that asserts without checking rights (I14)', () => {
  let node: TestNode;
  afterEach(() => node.stop());

  const refused = async (members: Partial<FactDraft>): Promise<string> => {
    const caller = await node.kernel.get(Authorizer).authenticate(await node.addKey({ scopes: ['local'] }));
    const draft: FactDraft = {
      entity: 'user:alice',
      relation: 'memory:role',
      value: { type: 'string', v: 'x', interpretAs: 'content' },
      source: 'agent:w1',
      confidence: 1,
      scope: 'local',
      ...members,
    };
    return ((await rejection(node.facts.append(draft, caller))) as { code?: string }).code ?? 'stored';
  };

  const REFUSALS: readonly (readonly [string, string, Partial<FactDraft>])[] = [
    ['a relation of the node', 'reserved_namespace', { relation: 'svc:received_from' }],
    ['an entity of the node', 'reserved_namespace', { entity: 'svc:conflict:x' }],
    ['a manifest', 'reserved_namespace', { relation: 'instruction:manifest' }],
    ['the node as its source', 'reserved_namespace', { source: 'system:svc' }],
    ['a scope that its key lacks', 'authorization', { scope: 'public' }],
    ['an instruction', 'instruction_write_required', { value: { type: 'text', v: 'do', interpretAs: 'instruction' } }],
    ['a time yet to come', 'validation', { timestamp: '2090-01-01T00:00:00Z' }],
  ];
  for (const plugins of [[], ['facts', 'conflicts', 'gardens']]) {
    it(`and is refused nevertheless, with ${plugins.length === 0 ? 'every plugin off' : plugins.join(', ')}`, async () => {
      node = await startTestNode({ plugins });
      for (const [what, code, members] of REFUSALS) expect(await refused(members), what).to.equal(code);
    });
  }

  it('and the settings for assertions still apply', async () => {
    node = await startTestNode({
      plugins: ['attestation', 'facts'],
      settings: { attestation: { required: true } },
    });
    expect(await refused({})).to.equal('attestation_required');
  });
});
