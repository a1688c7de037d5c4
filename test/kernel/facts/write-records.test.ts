import { expect } from 'chai';
import type { LinkBatch } from '../../../kernel/facts/append-api.ts';
import { valueCommitment } from '../../../kernel/facts/value-commitment.ts';
import type { On } from '../../../kernel/hooks/define-hook.ts';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { appendJudge, appendLink, type FactDraft, factAppended, type LedgerEntry } from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { storedFacts } from '../../plugins/facts/fact-bodies.ts';

const CALLER = createPrincipal({ entityUri: 'agent:w1', oidcSub: 'sub-1', keyId: 'key-1' });

const draftOf = (value: string, members: Partial<FactDraft> = {}): FactDraft => ({
  entity: `user:${value}`,
  relation: 'memory:role',
  value: { type: 'string', v: value, interpretAs: 'content' },
  source: 'agent:w1',
  confidence: 1,
  scope: 'local',
  ...members,
});

const named = (name: string, setup: (on: On) => void): AnyPlugin =>
  defineOwnPlugin({ name, setup: ({ on }) => setup(on) });

forEachStore('the write record in the row of a fact', () => {
  let node: TestNode;
  const start = async (...plugins: readonly AnyPlugin[]) => {
    node = await startTestNode({ plugins });
  };
  afterEach(() => node.stop());

  const entries = (): Promise<readonly LedgerEntry[]> =>
    node.facts.read(CALLER, 'query', ({ snapshot }) =>
      snapshot.ledger({ tenantId: CALLER.tenantId, order: 'oldest', limit: 100 }),
    );

  it('names its writer and key, and has a new salt for each fact', async () => {
    await start();
    await node.facts.appendAll([draftOf('a'), draftOf('b')], CALLER);
    const found = await entries();
    expect(found.map(({ number }) => number)).to.deep.equal([1, 2]);
    for (const entry of found) {
      expect(entry).to.include({ writer: 'agent:w1', writerSub: 'sub-1', writerKeyId: 'key-1', link: null });
      expect(entry.salt).to.have.length(16);
    }
    expect(found[0]?.salt).not.to.deep.equal(found[1]?.salt);
  });

  it('names the node as writer of facts that follow from others', async () => {
    await start(
      named('echo', (on) =>
        on(factAppended, ({ facts }) =>
          facts.flatMap(({ origin }) => (origin === 'client' ? [draftOf('echo', { source: 'system:svc' })] : [])),
        ),
      ),
    );
    await node.facts.append(draftOf('a'), CALLER);
    const [, echo] = await entries();
    expect(echo?.writer).not.to.equal('agent:w1');
    expect(echo?.writerKeyId).to.equal(null);
  });

  it('holds the tags that plugins give to stored facts', async () => {
    const tagger = (name: string, wanted: string) =>
      named(name, (on) =>
        on(appendJudge, ({ items }) => {
          for (const item of items) if (item.fact.value.v === wanted || wanted === 'all') item.tag(name);
        }),
      );
    await start(tagger('one', 'all'), tagger('two', 'b'), tagger('also-one', 'b'));
    await node.facts.appendAll([draftOf('a'), draftOf('b')], CALLER);
    expect((await entries()).map(({ tags }) => tags)).to.deep.equal([['one'], ['also-one', 'one', 'two']]);
  });

  it('refuses a tag that a query could not find', async () => {
    await start(
      named('sloppy', (on) => on(appendJudge, ({ items }) => items.forEach((item) => void item.tag('one,two')))),
    );
    expect((await rejection(node.facts.append(draftOf('a'), CALLER))).message).to.include('is no tag');
    expect(await storedFacts(node)).to.equal(0);
  });

  it('holds the link that a plugin computes from the stamped facts, also for facts that follow from them', async () => {
    const batches: LinkBatch[] = [];
    const linkOf = (seq: number) => ({ seq, hash: new Uint8Array(32).fill(seq) });
    await start(
      named('linker', (on) =>
        on(appendLink, (batch) => {
          batches.push(batch);
          const from = batch.head.linked?.link.seq ?? 0;
          return batch.facts.map((_, at) => linkOf(from + at + 1));
        }),
      ),
      named('echo', (on) =>
        on(factAppended, ({ facts }) =>
          facts.flatMap(({ origin }) => (origin === 'client' ? [draftOf('echo', { source: 'system:svc' })] : [])),
        ),
      ),
    );
    await node.facts.append(draftOf('a'), CALLER);
    await node.facts.append(draftOf('b'), CALLER);
    const found = await entries();
    expect(found.map(({ link }) => link)).to.deep.equal([1, 2, 3, 4].map(linkOf));
    expect(batches.map(({ head }) => head.number)).to.deep.equal([0, 1, 2, 3]);
    expect(batches.map(({ head }) => head.linked?.number)).to.deep.equal([undefined, 1, 2, 3]);
    expect(batches.flatMap(({ facts }) => facts.map(({ commitment }) => Buffer.from(commitment)))).to.deep.equal(
      found.map(({ salt }, at) =>
        valueCommitment(salt ?? new Uint8Array(0), batches[at]?.facts[0]?.fact.value as never),
      ),
    );
  });

  it('has no link if the plugin returns none; the write is refused if it links only some facts', async () => {
    let links: readonly number[] | undefined;
    await start(
      named('linker', (on) => on(appendLink, () => links?.map((seq) => ({ seq, hash: new Uint8Array(32) })))),
    );
    await node.facts.append(draftOf('a'), CALLER);
    expect((await entries())[0]?.link).to.equal(null);
    links = [1];
    const error = await rejection(node.facts.appendAll([draftOf('b'), draftOf('c')], CALLER));
    expect(error.message).to.include('a link for each fact');
    expect(await storedFacts(node)).to.equal(1);
  });

  it('is written once for a fact that arrives twice under its own id', async () => {
    await start();
    const given = draftOf('a', { id: 'a-given-id', hlcText: '1772442004120.0' });
    const [first, second] = await node.facts.appendAll([given, given], CALLER, { origin: 'peer' });
    const [third] = await node.facts.appendAll([given], CALLER, { origin: 'peer' });
    const existing = [first, second, third].map((verdict) => verdict?.kind === 'stored' && verdict.existing);
    expect(existing).to.deep.equal([false, true, true]);
    expect((await entries()).map(({ number, factId }) => [number, factId])).to.deep.equal([[1, 'a-given-id']]);
  });
});
