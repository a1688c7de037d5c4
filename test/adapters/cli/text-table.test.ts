import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import fc from 'fast-check';
import { textTable, widthOf } from '../../../adapters/cli/text-table.ts';
import { RUNS } from '../../kit/property-runs.ts';

const ID = '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11';
const KEYS = [
  ['id', 'entity', 'permissions', 'description'],
  [ID, 'agent:admin', 'read,write,admin,federate,audit.read', 'the first key of all'],
  [ID, 'agent:b', 'read', ''],
];

describe('a table', () => {
  it('prints one line for each row when the width is unlimited', () => {
    expect(
      textTable(
        [
          ['a', 'b'],
          ['long', ''],
        ],
        { indent: '  ' },
      ),
    ).to.equal('  a     b\n  long\n');
    expect(textTable([])).to.equal('');
  });

  it('wraps long cells inside their column, and keeps identifiers in one piece', () => {
    const lines = textTable(KEYS, { width: 100, titled: true }).split('\n');

    for (const line of lines) expect(line.length).to.be.at.most(100);
    expect(lines.filter((line) => line.startsWith(ID))).to.have.length(2);
    expect(lines.slice(0, 2).join('\n')).to.match(/^id .*permissions .*description\n5f0c.* read,write,/);
  });

  it('becomes paragraphs when the width is too small for columns', () => {
    expect(textTable(KEYS, { width: 60, titled: true })).to.equal(
      `id           ${ID}\nentity       agent:admin\npermissions  read,write,admin,federate,audit.read\n` +
        `description  the first key of all\n\nid           ${ID}\nentity       agent:b\npermissions  read\n`,
    );
    expect(textTable([['GET', 'x'.repeat(30)]], { width: 20, indent: ' ' })).to.equal(` GET\n   ${'x'.repeat(30)}\n`);
  });

  it('loses no text and stays within the width', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'b', ' ', ',', 'é'), maxLength: 60 });
    const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 30, max: 200 }), (table, width) => {
        const text = textTable(table, { width });
        const letters = (whole: string): string => [...whole.replace(/\s/g, '')].sort().join('');
        expect(letters(text)).to.equal(letters(table.flat().join('')));
      }),
      { numRuns: RUNS },
    );
  });

  it('reads its width from the terminal only', () => {
    const stream = new PassThrough();
    expect(widthOf(stream)).to.equal(undefined);
    expect(widthOf(Object.assign(stream, { isTTY: true, columns: 90 }))).to.equal(90);
  });
});
