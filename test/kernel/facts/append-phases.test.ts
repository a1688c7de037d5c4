import { expect } from 'chai';
import type { On } from '../../../kernel/hooks/define-hook.ts';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import {
  appendAuthorise,
  appendJudge,
  appendRead,
  appendSettle,
  type FactDraft,
  ServiceError,
} from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { storedFacts } from '../../plugins/facts/fact-bodies.ts';

const CALLER = createPrincipal({ allowedScopes: new Set(['local']) });

const draftOf = (value: string, members: Partial<FactDraft> = {}): FactDraft => ({
  entity: 'user:alice',
  relation: 'memory:role',
  value: { type: 'string', v: value, interpretAs: 'content' },
  source: 'agent:w1',
  confidence: 1,
  scope: 'local',
  ...members,
});

const named = (name: string, setup: (on: On) => void): AnyPlugin =>
  defineOwnPlugin({ name, setup: ({ on }) => setup(on) });

const refusal = (message: string) => new ServiceError('authorization', message);

forEachStore('the phases of an append', () => {
  let node: TestNode;
  const start = async (...plugins: readonly AnyPlugin[]) => {
    node = await startTestNode({ plugins });
  };
  afterEach(() => node.stop());

  it('show the results of a phase only to the next phase', async () => {
    const seen: string[] = [];
    const note = (phase: string, items: readonly { readonly open: boolean }[]) => {
      seen.push(`${phase} ${items.map(({ open }) => open).join(' ')}`);
    };
    const judge = (name: string) =>
      named(name, (on) => {
        on(appendAuthorise, ({ items }) => {
          note('authorise', items);
          items[0]?.reject(refusal('not this one'));
        });
        on(appendSettle, ({ items }) => {
          note('settle', items);
          if (items[1] !== undefined && items[2] !== undefined) items[2].follow(items[1]);
        });
        on(appendJudge, ({ items }) => note('judge', items));
      });
    await start(judge('one'), judge('two'));
    const verdicts = await node.facts.appendAll(
      ['a', 'b', 'b'].map((value) => draftOf(value)),
      CALLER,
    );
    expect(seen).to.deep.equal([
      'authorise true true true',
      'authorise true true true',
      'settle false true true',
      'settle false true true',
      'judge false true false',
      'judge false true false',
    ]);
    expect(verdicts.map(({ kind }) => kind)).to.deep.equal(['rejected', 'stored', 'stored']);
    expect(verdicts.map((verdict) => verdict.kind === 'stored' && verdict.existing)).to.deep.equal([
      false,
      false,
      true,
    ]);
    expect(await storedFacts(node)).to.equal(1);
  });

  it('return the most fundamental of several refusals', async () => {
    const refuse = (name: string, check: 'target' | 'place') =>
      named(name, (on) => {
        on(appendRead, ({ items }) => items[0]?.reject(refusal(`read ${check}`), check));
        on(appendAuthorise, ({ items }) => items[1]?.reject(refusal(`authorise ${check}`), check));
      });
    await start(refuse('one', 'target'), refuse('two', 'place'));
    const drafts = [draftOf('a'), draftOf('b'), draftOf('c', { scope: 'public' })];
    const messages = (await node.facts.appendAll(drafts, CALLER)).map((verdict) =>
      verdict.kind === 'rejected' ? verdict.error.message : 'stored',
    );
    expect(messages).to.deep.equal(['read place', 'authorise place', 'the key may not write to scope public']);
  });

  it('let one plugin fill a member; if two do, the error names the member', async () => {
    const complete = (name: string) =>
      named(name, (on) => on(appendRead, ({ items }) => items[0]?.complete({ attested: true })));
    await start(complete('one'));
    expect((await node.facts.append(draftOf('a'), CALLER)).view.fact.attested).to.equal(true);
    await node.stop();
    await start(complete('one'), complete('two'));
    const error = await rejection(node.facts.append(draftOf('a'), CALLER));
    expect(error.message).to.equal('two handlers of append:read set attested of one draft');
    expect(await storedFacts(node)).to.equal(0);
  });

  it('return refusals without writing anything', async () => {
    const picky = named('picky', (on) => {
      on(appendAuthorise, ({ items }) => {
        for (const item of items) if (item.fact.value.v === 'b') item.reject(refusal('not this one'));
      });
    });
    await start(picky);
    const drafts = [draftOf('a'), draftOf('b'), draftOf('c', { relation: 'svc:received_from' })];
    const refusals = await node.facts.refusals(drafts, CALLER);
    expect(refusals.map((error) => error?.code)).to.deep.equal([undefined, 'authorization', 'reserved_namespace']);
    expect(await storedFacts(node)).to.equal(0);
  });

  it('return no refusals for facts that the node itself asserts', async () => {
    const clients: boolean[] = [];
    await start(
      named('watch', (on) =>
        on(appendAuthorise, ({ items }) => void clients.push(...items.map((item) => item.byClient))),
      ),
    );
    await node.facts.append(draftOf('a'), CALLER);
    await node.facts.append(draftOf('b', { relation: 'svc:received_from' }), CALLER, { origin: 'plugin' });
    expect(clients).to.deep.equal([true, false]);
  });
});
