import { expect } from 'chai';
import fc from 'fast-check';
import { column, defineRow } from '../../../kernel/internal-api.ts';
import { DamagedRow, type SealedColumns } from '../../../kernel/store/sealed-json.ts';

interface Note {
  readonly id: string;
  readonly title: string | null;
  readonly createdMs: number;
  readonly readMs: number | null;
  readonly isHeld: boolean;
  readonly words: readonly string[];
  readonly at: { readonly line: number; readonly column: number };
  readonly body: unknown;
}

const SEALED = { table: 'notes', key: ['note_id'], columns: ['body'] } as const satisfies SealedColumns;

const NOTE_ROW = defineRow<Note>({
  id: column.text('note_id'),
  title: column.textOrNull('title'),
  createdMs: column.number('created_ms'),
  readMs: column.numberOrNull('read_ms'),
  isHeld: column.flag('held'),
  words: column.of(
    'words',
    (words) => (words === '' ? [] : String(words).split(',')),
    (words) => words.join(','),
  ),
  at: {
    write: ({ line, column: place }) => ({ line, place }),
    read: (row) => ({ line: Number(row['line']), column: Number(row['place']) }),
  },
  body: column.json(SEALED, 'body'),
});

const note: fc.Arbitrary<Note> = fc.record({
  id: fc.string(),
  title: fc.option(fc.string()),
  createdMs: fc.integer(),
  readMs: fc.option(fc.integer()),
  isHeld: fc.boolean(),
  words: fc.array(fc.constantFrom('one', 'two', 'three')),
  at: fc.record({ line: fc.nat(), column: fc.nat() }),
  body: fc.option(fc.dictionary(fc.constantFrom('a', 'b'), fc.string())).map((body) => body && { ...body }),
});

describe('the row of a record', () => {
  it('gives the record back, also where the store returns long integers as text', () => {
    fc.assert(
      fc.property(note, (record) => {
        const row = NOTE_ROW.rowOf(record);
        expect(NOTE_ROW.fromRow(row)).to.deep.equal(record);
        expect(NOTE_ROW.fromRow({ ...row, created_ms: String(record.createdMs) })).to.deep.equal(record);
      }),
    );
  });

  it('has the columns of the members that a change names, and none for other members', () => {
    expect(NOTE_ROW.columnsOf({ isHeld: true, at: { line: 2, column: 7 } })).to.deep.equal({
      held: 1,
      line: 2,
      place: 7,
    });
    const more = { title: null, secret: 'not stored' };
    expect(NOTE_ROW.columnsOf(more)).to.deep.equal({ title: null });
  });

  it('is refused where a sealed column was changed', () => {
    const row = NOTE_ROW.columnsOf({ id: 'n1', body: { a: 'b' } });
    expect(() => NOTE_ROW.fromRow({ ...row, body: String(row['body']).replace('b', 'c') })).to.throw(DamagedRow);
  });
});
