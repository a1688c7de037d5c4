import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { dropEndedRows } from '../../../kernel/store/period-rows.ts';
import type { ContentSeal, Row } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { ExpiringNotes, forget, NOTE_COLUMNS, NOTES, type NoteProcess, say, TENANT } from './expiring-notes.ts';

forEachStore('the keys of periods', (kind) => {
  let notes: ExpiringNotes;
  let first: NoteProcess;

  beforeEach(async () => {
    notes = await ExpiringNotes.on(kind);
    first = notes.first;
  });
  afterEach(() => notes.stop());

  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn += 1) await notes.turn();
  };
  const restore = async (rows: readonly Row[]): Promise<void> => {
    await first.store.write(TENANT, (transaction) => transaction.insertRows(NOTES, rows));
  };

  it('open a copy of a row until it was deleted, and two more periods have begun', async () => {
    await turns(3);
    await say(first, '1', 'the canary sings');
    const stolen = await notes.rows();
    await forget(first, '1');
    await turns(1);
    expect(await notes.openedIn(stolen)).to.deep.equal(['the canary sings']);
    await turns(1);
    expect(await notes.openedIn(stolen)).to.deep.equal([]);
  });

  it('stay for every row that is left, however old it is', async () => {
    await say(first, '1', 'old');
    await turns(3);
    await say(first, '2', 'newer');
    const stolen = await notes.rows();
    await turns(3);
    expect(await notes.openedIn(await notes.rows())).to.deep.equal(['old', 'newer']);
    await forget(first, '1');
    await turns(2);
    expect(await notes.openedIn(stolen)).to.deep.equal(['newer']);
    expect(await notes.openedIn(await notes.rows())).to.deep.equal(['newer']);
  });

  it('are those of the present period for a text that is changed or merged, in a row that keeps its own', async () => {
    await say(first, '1', 'a question');
    await turns(3);
    await first.tables.write(TENANT, async (own) => {
      await own(NOTES).where({ tenant_id: TENANT, id: '1' }).update({ reply: 'an answer', period: 99 });
    });
    await turns(3);
    const row = { tenant_id: TENANT, id: '1', said: 'a merged question' };
    await first.tables.write(TENANT, async (own) => {
      await own(NOTES).insert(row).onConflict(['tenant_id', 'id']).merge();
    });
    await turns(3);
    await first.tables.write(TENANT, async (own) => {
      await own(NOTES).insert(row).onConflict(['tenant_id', 'id']).merge({ said: 'another question', period: 99 });
    });
    await turns(3);
    const [kept] = await notes.rows();
    expect(kept?.['period']).to.equal(1);
    expect(await notes.openedIn(await notes.rows())).to.deep.equal(['another question', 'an answer']);
  });

  it('are refused to a statement outside a transaction, which cannot know the period', async () => {
    const refused = await rejection(first.tables(NOTES).insert({ tenant_id: TENANT, id: '1', said: 'x' }));
    expect(refused.message).to.include('outside a transaction');
    expect(
      (await rejection(first.tables(NOTES).where({ tenant_id: TENANT }).update({ said: 'x' }))).message,
    ).to.include('outside a transaction');
    await first.tables(NOTES).where({ tenant_id: TENANT }).update({ id: '2' });
  });

  it('seal what another process writes after its memory is some periods old', async () => {
    const idle = await notes.another();
    await turns(4);
    await say(idle, '1', 'after a long pause');
    await idle.tables.write(TENANT, async (own) => {
      await own(NOTES).where({ tenant_id: TENANT, id: '1' }).update({ reply: 'once more' });
    });
    await turns(4);
    expect(await notes.openedIn(await notes.rows())).to.deep.equal(['after a long pause', 'once more']);
    expect((await notes.rows())[0]?.['period']).to.equal(5);
  });

  it('change once when two processes begin a period at the same time', async () => {
    const other = await notes.another();
    const everyMs = 60 * 60 * 1_000;
    await Promise.all([first, other].map(({ store }) => store.endPeriods?.({ tables: [NOTES], everyMs })));
    expect((await notes.keys.another()).period).to.equal(1);
    await notes.turn();
    await Promise.all([first, other].map(({ store }) => store.endPeriods?.({ tables: [NOTES], everyMs })));
    expect((await notes.keys.another()).period).to.equal(2);
  });

  it('stay for a row without a period, which names no key', async () => {
    await say(first, '1', 'kept');
    const stolen = await notes.rows();
    await first.store.table(NOTES).update({ period: null });
    await turns(4);
    expect(await notes.openedIn(stolen)).to.deep.equal(['kept']);
  });

  it('go with the last row of a removed tenant', async () => {
    await say(first, '1', 'of the tenant', 'gone');
    await say(first, '1', 'of another tenant');
    const stolen = await notes.rows();
    while (await first.store.removeTenant('gone', 10, async () => {}));
    expect(await notes.openedIn(stolen)).to.deep.equal(['of another tenant']);
  });

  it('are destroyed by the next period after a crash between file and store, and no text is lost', async () => {
    const broken = await notes.keys.another();
    const crashing: Partial<ContentSeal> = { endPeriods: (...given) => broken.endPeriods(...given).then(fail) };
    const other = await notes.another(Object.create(broken, Object.getOwnPropertyDescriptors(crashing)) as ContentSeal);
    await say(first, '1', 'gone');
    const stolen = await notes.rows();
    await forget(first, '1');
    for (let crash = 0; crash < 3; crash += 1) {
      expect((await rejection(Promise.resolve(notes.turn(other)))).message).to.equal('interrupted');
      await say(first, `c${crash}`, 'between');
    }
    await turns(1);
    await say(first, '2', 'after');
    await turns(2);
    expect(await notes.openedIn(await notes.rows())).to.deep.equal(['after', 'between', 'between', 'between']);
    await forget(first, 'c0', 'c1', 'c2');
    await turns(2);
    expect(await notes.openedIn(await notes.rows())).to.deep.equal(['after']);
    expect(await notes.openedIn(stolen)).to.deep.equal([]);
  });

  it('tell which rows of a restored copy were deleted since, and these are deleted again', async () => {
    await say(first, '1', 'gone');
    await turns(2);
    await say(first, '2', 'stays');
    const [gone] = await notes.rows();
    await forget(first, '1');
    await turns(3);
    const { store } = await notes.another();
    await restore(Array.from({ length: 450 }, (_, at) => ({ ...gone, id: `gone${at}` })));
    const epoch = (): Promise<string> => store.read((snapshot) => snapshot.epoch());
    const former = await epoch();
    await dropEndedRows(store, notes.keys.seal, dropped);
    expect(await epoch(), 'the store has lost rows').to.not.equal(former);
    const after = await epoch();
    await dropEndedRows(store, notes.keys.seal, dropped);
    expect(await epoch(), 'a store with nothing to drop goes on').to.equal(after);
    expect(await notes.openedIn(await notes.rows())).to.deep.equal(['stays']);
    expect(await notes.rows()).to.have.length(1);
  });

  if (kind === 'postgres') {
    it('stay for a transaction during which a period begins, and refuse one during which two begin', async () => {
      const other = await notes.another();
      const during = (id: string, count: number): Promise<void> =>
        other.tables.write(TENANT, async (own) => {
          await own.insertRows(NOTES, [{ tenant_id: TENANT, id, said: id, reply: null }]);
          await turns(count);
        });
      await during('one', 1);
      const refused = await rejection(during('two', 2));
      expect(refused).to.have.property('code', 'unavailable');
      await turns(3);
      expect(await notes.openedIn(await notes.rows())).to.deep.equal(['one']);
      expect(await notes.rows()).to.have.length(1);
    });
  }

  it('open every present text after any history, and none of a row that is gone for two periods', async () => {
    const others = [first, await notes.another(), await notes.another()];
    const step = fc.record({
      by: fc.integer({ min: 0, max: others.length - 1 }),
      id: fc.integer({ min: 0, max: 4 }).map(String),
      does: fc.constantFrom('say', 'answer', 'merge', 'forget', 'turn', 'turn'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        await forget(first, ...['0', '1', '2', '3', '4']);
        await turns(2);
        const present = new Map<string, { said: string; reply: string | null }>();
        const stolen: Row[] = [];
        for (const [at, { by, id, does }] of steps.entries()) {
          const process = others[by] as NoteProcess;
          const text = `text ${at}`;
          const known = present.get(id);
          if (does === 'turn') await notes.turn(process);
          else if (does === 'forget') {
            await forget(process, id);
            present.delete(id);
          } else if (does === 'answer') {
            await process.tables.write(TENANT, async (own) => {
              await own(NOTES).where({ tenant_id: TENANT, id }).update({ reply: text });
            });
            if (known !== undefined) known.reply = text;
          } else if (does === 'merge' || known === undefined) {
            await process.tables.write(TENANT, async (own) => {
              await own(NOTES).insert({ tenant_id: TENANT, id, said: text }).onConflict(['tenant_id', 'id']).merge();
            });
            present.set(id, { said: text, reply: known?.reply ?? null });
          }
          stolen.push(...(await notes.rows()));
        }
        const expected = [...present].sort(([one], [other]) => (one < other ? -1 : 1));
        const texts = expected.flatMap(([, { said, reply }]) => (reply === null ? [said] : [said, reply]));
        expect(await notes.openedIn(await notes.rows())).to.deep.equal(texts);
        await forget(first, ...present.keys());
        await turns(2);
        expect(await notes.openedIn(stolen)).to.deep.equal([]);
      }),
      { numRuns: kind === 'sqlite' ? 25 : 8 },
    );
  }).timeout(120_000);
});

const dropped = { contents: [NOTE_COLUMNS], random: { uuid: randomUUID } };

const fail = (): never => {
  throw new Error('interrupted');
};
