import { expect } from 'chai';
import fc from 'fast-check';
import { harmlessText, jsonLine, shortText } from '../../../kernel/commands/shown-text.ts';
import { RUNS } from '../../kit/property-runs.ts';

/** Characters that control a terminal, or change the reading order. */
const HARMFUL = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\u001b', '\u009b', '\u0007', '\u202e', '\u2066', '\u2028', '\n', '\u007f', ' ', 'a', '\ud83d'),
    fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
  ),
});

describe('text in command output', () => {
  it('never sends control characters to a terminal', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 30 }), (text, most) => {
        expect(harmlessText(text)).not.to.match(HARMFUL);
        const line = shortText(text, most);
        expect(line).not.to.match(HARMFUL);
        expect(line.length).to.be.at.most(most);
      }),
      { numRuns: RUNS },
    );
  });

  it('formats JSON on one line without control characters, with equal content', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const line = jsonLine({ v: text, [text]: 1 });
        expect(line.slice(0, -1)).not.to.match(HARMFUL);
        expect(line.endsWith('\n')).to.equal(true);
        expect(JSON.parse(line)).to.deep.equal(JSON.parse(JSON.stringify({ v: text, [text]: 1 })));
      }),
      { numRuns: RUNS },
    );
  });

  it('preserves letters of every language', () => {
    expect(shortText('  Zoë\t\n工藤 👩‍👧  שלום ')).to.equal('Zoë 工藤 👩‍👧 שלום');
    expect(shortText('abcdef', 4)).to.equal('abc…');
  });
});
