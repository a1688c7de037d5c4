import { expect } from 'chai';
import fc from 'fast-check';
import { type CsvCell, csvLine } from '../../../plugins/audit/csv-line.ts';
import { RUNS } from '../../kit/property-runs.ts';

/** An independent reader of RFC 4180, which shares no code with the tested writer. */
const readCsvLine = (line: string): string[] => {
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (quoted) {
      if (char !== '"') cell += char;
      else if (line.charAt(at + 1) === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === ',') {
      cells.push(cell);
      cell = '';
    } else if (char === '\r' && line.charAt(at + 1) === '\n') {
      if (at + 2 !== line.length) throw new Error('a record ended early');
      return [...cells, cell];
    } else cell += char;
  }
  throw new Error('a record did not end');
};

describe('a CSV line', () => {
  it('quotes cells with delimiters, and doubles the quotes in them', () => {
    expect(csvLine(['a,b', 'say "x"', 'two\r\nlines', 'plain'])).to.equal('"a,b","say ""x""","two\r\nlines",plain\r\n');
  });

  it('writes null as an empty cell, and numbers and booleans unquoted', () => {
    expect(csvLine([null, -5, 1.5, true, ''])).to.equal(',-5,1.5,true,\r\n');
  });

  it('prefixes formulas so that a spreadsheet does not run them', () => {
    for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '＝1+1', '\n@x']) {
      const [cell] = readCsvLine(csvLine([text]));
      expect(cell, JSON.stringify(text)).to.equal(`'${text}`);
    }
  });

  it('parses back to its cells, apart from the apostrophe before formulas', () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer(),
      fc.constantFrom<CsvCell>(null, true, '=x', '"', '\r\n'),
    );
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1 }), (cells) => {
        const read = readCsvLine(csvLine(cells));
        expect(read).to.have.length(cells.length);
        for (const [at, text] of read.entries()) {
          const sent = cells[at];
          expect([String(sent ?? ''), `'${sent}`]).to.include(text);
          if (typeof sent === 'string') expect(text).not.to.match(/^[=+\-@\t\r]/);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
