import type { AgentInputItem, Session } from '@openai/agents-core';
import { expect } from 'chai';
import fc from 'fast-check';
import type { FactClient } from '../../client/client.ts';
import { FactSession } from '../../client/frameworks/openai-agents.ts';
import { clientOf } from '../client/loopback-fetch.ts';
import { RUNS } from '../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';
import { frameworkPackage } from './framework-package.ts';

const framework = frameworkPackage<{ MemorySession: new () => Session }>('@openai/agents-core');
const SOURCE = 'agent:planner';

const item: fc.Arbitrary<AgentInputItem> = fc.record({
  type: fc.constant('message'),
  role: fc.constantFrom('user', 'system'),
  content: fc.constantFrom('one', 'two', 'zwölf\n'),
});
const step = fc.oneof(
  fc.record({
    name: fc.constant('getItems' as const),
    limit: fc.option(fc.integer({ min: -1, max: 4 }), { nil: undefined }),
  }),
  fc.record({ name: fc.constant('addItems' as const), items: fc.array(item, { maxLength: 4 }) }),
  fc.record({ name: fc.constantFrom('popItem' as const, 'clearSession' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const take = async (session: Session, one: Step): Promise<unknown> => {
  if (one.name === 'getItems') return session.getItems(one.limit);
  return one.name === 'addItems' ? session.addItems(one.items) : session[one.name]();
};

if (framework !== undefined) {
  const { MemorySession } = framework;

  describe('the session of OpenAI Agents', () => {
    let node: TestNode;
    let client: FactClient;

    before(async () => {
      node = await startTestNode({ plugins: ['facts', 'conflicts', 'keys', 'gardens'] });
      client = clientOf(node, { key: await node.addKey({ entityUri: SOURCE }) });
    });
    after(() => node.stop());

    it('answers every sequence of calls as the session in memory does', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
          const ours = new FactSession({ client, source: SOURCE });
          const theirs = new MemorySession();
          for (const one of [...steps, { name: 'getItems' as const, limit: undefined }]) {
            expect(await take(ours, one), JSON.stringify(steps)).to.deep.equal(await take(theirs, one));
          }
        }),
        { numRuns: Math.ceil(RUNS / 2) },
      );
    });

    it('continues under its id in another program, and shares nothing with sessions of other ids', async () => {
      const told = [{ type: 'message', role: 'user', content: 'hello' }];
      const session = new FactSession({ client, source: SOURCE, sessionId: 'Chat 1' });
      await session.addItems(told);
      expect(await session.getSessionId()).to.equal('Chat 1');
      const others = ['Chat 1', 'chat 1'].map((sessionId) => new FactSession({ client, source: 'agent:b', sessionId }));
      expect(await Promise.all(others.map((other) => other.getItems()))).to.deep.equal([told, []]);
      const team = new FactSession({ client, source: SOURCE, sessionId: 'Chat 1', scope: 'team' });
      expect(await team.getItems()).to.deep.equal([]);
    });

    it('marks a contradicted item, and names the sources', async () => {
      const session = new FactSession({ client, source: SOURCE, sessionId: 'contested' });
      await session.addItems([{ type: 'a' }, { type: 'b' }]);
      const [fact] = await client.query({ entity: 'session:contested' }).take(1);
      const { relation = '' } = fact ?? {};
      const value = { type: 'text', v: '{"type":"c"}' } as const;
      await client.assert({ entity: 'session:contested', relation, value, source: 'agent:z', scope: 'company' });
      const items = await session.getItems();
      expect(items).to.have.length(3);
      const note = items.find(({ type }) => type === 'message');
      expect(note).to.include({ role: 'system' });
      expect(JSON.stringify(note)).to.include(SOURCE).and.include('agent:z').and.include(fact?.id);
      await session.clearSession();
      expect(await session.getItems()).to.deep.equal([]);
    });

    it('keeps the items that two programs add at once, without a contradiction', async () => {
      const [one, other] = ['agent:a', 'agent:b'].map(
        (source) => new FactSession({ client, source, sessionId: 'shared' }),
      ) as [FactSession, FactSession];
      await Promise.all([one.addItems([{ type: 'a' }, { type: 'b' }]), other.addItems([{ type: 'c' }])]);
      expect((await one.getItems()).map(({ type }) => type)).to.have.members(['a', 'b', 'c']);
      const facts = await client.query({ entity: 'session:shared' }).take(9);
      expect(facts.map(({ source }) => source)).to.have.members(['agent:a', 'agent:a', 'agent:b']);
      expect(await client.conflicts().take(1)).to.deep.equal([]);
    });
  });
}
