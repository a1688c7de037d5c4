import { expect } from 'chai';
import { type FactDraft, type Principal, SCOPES, type Scope, type StoredFact } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const callerOf = (allowedScopes: readonly Scope[], tenantId = 'default'): Principal => ({
  kind: 'key',
  entityUri: 'agent:w',
  permissions: new Set(['read', 'write']),
  allowedScopes: new Set(allowedScopes),
  tenantId,
  keyId: 'k',
  oidcSub: null,
});

const draft = (scope: Scope, gardenId: string | null = null): FactDraft => ({
  entity: 'user:noor',
  relation: 'memory:role',
  value: { type: 'string', v: scope, interpretAs: 'content' },
  source: 'agent:w',
  confidence: 1,
  scope,
  gardenId,
});

forEachStore('the visibility check of one fact for one caller', () => {
  let node: TestNode;
  const stored: StoredFact[] = [];
  before(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts'] });
    const store = async (one: FactDraft, caller: Principal): Promise<void> => {
      stored.push((await node.facts.append(one, caller)).view.fact);
    };
    for (const scope of SCOPES) await store(draft(scope), callerOf(SCOPES));
    await store(draft('public', '6f1f6d5e-0000-4000-8000-000000000001'), callerOf(SCOPES));
    await store({ ...draft('public'), confidence: 0 }, callerOf(SCOPES));
    await store(draft('public'), callerOf(SCOPES, 'another'));
  });
  after(() => {
    stored.length = 0;
    return node.stop();
  });

  for (const caller of [callerOf(SCOPES), callerOf(['public']), callerOf([]), callerOf(SCOPES, 'another')]) {
    const scopes = [...caller.allowedScopes].join(', ') || 'no scope';
    it(`matches the result of a read, for a caller of tenant ${caller.tenantId} with ${scopes}`, async () => {
      const { judged, found } = await node.facts.read(caller, 'deliver', async (reader) => {
        const visible = [];
        for (const fact of stored) if (await node.facts.isVisible(fact, reader)) visible.push(fact.id);
        return { judged: visible, found: await reader.visible(stored.map(({ id }) => id)) };
      });
      expect(judged).to.have.members(found.map(({ id }) => id));
      if (caller.allowedScopes.size > 0) expect(judged).not.to.be.empty;
    });
  }
});
