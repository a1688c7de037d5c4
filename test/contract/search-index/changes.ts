import { expect } from 'chai';
import { NodeSelf } from '../../../kernel/plugin-api.ts';
import { Erasures, Tombstones } from '../../../plugins/tombstones/tombstones-api.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { findNear, findNewest, findWords } from './ask-index.ts';
import { vectorOf } from './pointing-vectors.ts';
import { type CurrentNode, callerOf, text, textAt } from './search-node.ts';

/** The contract of changes: facts that end, expire, are hidden or erased, and searches of the past. */
export const describeChanges = (current: CurrentNode): void => {
  const asked = async (tenantId: string, members = {}) => {
    const view = current().view({ tenantId, ...members });
    return {
      words: await findWords(current().index, 'lantern harbour', view, 9),
      near: await findNear(current().index, vectorOf(1), -1, view, 9),
      newest: await findNewest(current().index, view, 9),
    };
  };
  const said = (tenantId: string, words: string, members = {}) => ({
    tenantId,
    value: text(`${words} ${textAt(1, 2)}`),
    ...members,
  });
  const embedded = async (ids: readonly string[], tenantId: string): Promise<readonly string[]> => {
    await current().embed(ids, current().view({ tenantId }));
    return ids;
  };

  it('finds a fact with the first search after its commit, and none after its retraction', async () => {
    const view = current().view({ tenantId: 'turns' });
    for (let n = 0; n < 5; n += 1) {
      const ids = await current().say(said('turns', `n${n}n lantern`));
      expect((await findWords(current().index, `n${n}n`, view, 9)).map(({ id }) => id)).to.deep.equal(ids);
      await current().say(said('turns', `n${n}n lantern`, { confidence: 0 }));
      expect(await findWords(current().index, 'lantern', view, 9)).to.deep.equal([]);
      expect(await findNewest(current().index, view, 9)).to.deep.equal([]);
    }
  });

  it('leaves out a fact from the instant at which it expires, and follows a time-to-live', async () => {
    const untilMs = current().nowMs + 50_000;
    const ids = await current().say(
      said('mortal', 'lantern', { validUntil: new Date(untilMs).toISOString() }),
      said('mortal', 'harbour', { relation: 'memory:role' }),
    );
    const found = async (nowMs: number) =>
      [...(await current().newest(current().view({ tenantId: 'mortal', nowMs })))].sort();
    expect(await found(untilMs - 1)).to.deep.equal([...ids].sort());
    expect(await found(untilMs)).to.deep.equal([ids[1]]);
    const { names } = current().node.kernel.get(NodeSelf);
    const value = { type: 'datetime', v: new Date(untilMs + 9).toISOString(), interpretAs: 'content' } as const;
    await current().say({ tenantId: 'mortal', entity: ids[1] as string, relation: names.meta('ttl'), value });
    expect(await found(untilMs + 8)).to.deep.equal([ids[1]]);
    expect(await found(untilMs + 9)).to.deep.equal([]);
  });

  it('returns answers as if hidden facts did not exist, and finds those facts again once they are shown', async () => {
    const hidden = { entity: 'user:hidden' };
    await embedded(await current().say(said('veiled', 'lantern'), said('veiled', 'harbour lantern')), 'veiled');
    const without = await asked('veiled');
    await embedded(await current().say(said('veiled', 'lantern harbour', hidden)), 'veiled');
    const whole = await asked('veiled');
    const tombstones = current().node.kernel.get(Tombstones);
    const { id } = await tombstones.create(callerOf('veiled'), { entityUri: hidden.entity });
    await current().follow();
    expect(await asked('veiled')).to.deep.equal(without);
    await tombstones.revoke(callerOf('veiled'), id, 'a mistake');
    await comesTrue(async () => {
      await current().node.clock.advance(100);
      await current().follow();
      return (await asked('veiled')).near.length === whole.near.length;
    });
    expect(await asked('veiled')).to.deep.equal(whole);
  });

  it('finds nothing of an erased fact by any step', async () => {
    const erased = { entity: 'user:erased' };
    await embedded(await current().say(said('erasing', 'lantern')), 'erasing');
    const without = await asked('erasing');
    await embedded(await current().say(said('erasing', 'harbour secret', erased)), 'erasing');
    const caller = callerOf('erasing');
    const { id } = await current().node.kernel.get(Tombstones).create(caller, { entityUri: erased.entity });
    await current().node.kernel.get(Erasures).eraseNow(caller, id, erased.entity);
    await current().follow();
    expect(await asked('erasing')).to.deep.equal(without);
    expect(await findWords(current().index, 'secret', current().view({ tenantId: 'erasing' }), 9)).to.deep.equal([]);
  });

  it('answers a search as of a past moment as it answered then', async () => {
    const told: { readonly asOf: object; readonly nowMs: number; readonly answer: object }[] = [];
    const keep = async (): Promise<void> => {
      const asOf = await current().follow();
      const { words, newest } = await asked('past');
      told.push({ asOf, nowMs: current().nowMs, answer: { words, newest } });
    };
    await current().say(said('past', 'lantern harbour'));
    await keep();
    await current().say(said('past', 'lantern lantern', { relation: 'memory:role' }));
    await keep();
    await current().say(said('past', 'lantern harbour', { confidence: 0 }));
    await keep();
    await current().say(said('past', 'harbour'), said('past', 'harbour', { entity: 'user:bob' }));
    for (const { asOf, nowMs, answer } of told) {
      const { words, newest } = await asked('past', { asOf, nowMs });
      expect({ words, newest }).to.deep.equal(answer);
    }
  });
};
