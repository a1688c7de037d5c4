import { expect } from 'chai';
import fc from 'fast-check';
import { readFactTerms } from '../../../../plugins/search/words/fact-terms.ts';
import { foldWords } from '../../../../plugins/search/words/fold-words.ts';
import { porterStem } from '../../../../plugins/search/words/porter-stem.ts';
import { readQueryTerms } from '../../../../plugins/search/words/query-terms.ts';
import { TermCounts } from '../../../../plugins/search/words/term-counts.ts';
import { TermReader } from '../../../../plugins/search/words/term-reader.ts';
import type { FactValue } from '../../../../ports/ports.ts';
import { RUNS } from '../../../kit/property-runs.ts';
import { testHasher } from '../index/test-seed.ts';

const reader = new TermReader(testHasher());

const countsOf = (fill: (into: TermCounts) => void): TermCounts => {
  const counts = new TermCounts();
  fill(counts);
  return counts;
};
const keysOf = (counts: TermCounts): string[] =>
  Array.from({ length: counts.distinct }, (_, at) => `${counts.hi[at]}:${counts.lo[at]}`);
const textKeys = (text: string): string[] => keysOf(countsOf((into) => reader.read(text, into)));
const termKeys = (...terms: string[]): string[] =>
  keysOf(
    countsOf((into) => {
      for (const term of terms) reader.addTerm(term, into);
    }),
  );
const factKeys = (entity: string, relation: string, value: FactValue, timestamp = '2023-05-08T13:56:00Z'): string[] =>
  keysOf(countsOf((into) => readFactTerms({ entity, relation, value, timestamp }, reader, into)));
const text = (v: string): FactValue => ({ type: 'text', v, interpretAs: 'content' });

describe('the search terms of a text', () => {
  const cases: readonly (readonly [title: string, text: string, terms: readonly string[]])[] = [
    ['are lower-cased and stemmed', 'Walking WALKED walks', ['walk']],
    ['are cut at what is neither letter nor digit', 'a_b/c:d.e(f)', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['are also what a hyphen joins', 'E-mails up-to-date', ['e', 'email', 'mail', 'up', 'to', 'date']],
    [
      'are joined with numbers, and seven digits with one another',
      'IL-6, 555-1234, 20-30',
      ['il', 'il6', '6', '555', '1234', '20', '30', '5551234'],
    ],
    ['are joined by a hyphen without blanks alone', 'a -b c- d', ['a', 'b', 'c', 'd']],
    ['have no accents', 'Zoë café naïve', ['zoe', 'cafe', 'naiv']],
    ['are compatibility forms', 'ﬁle １２ ⅷ', ['file', '12', 'viii']],
    [
      'lose a possessive, and the apostrophe of a contraction',
      "Noor's don't James' 'quoted'",
      ['noor', 'dont', 'jame', 'quot'],
    ],
    ['know the typographer’s apostrophe', 'Noor’s don’t', ['noor', 'dont']],
    [
      'have numbers without zeros before them, and days without endings',
      '007 7th 1st 2nd 3rd 0 00',
      ['7', '1', '2', '3', '0'],
    ],
    [
      'are pairs of characters where words are not spaced, and Chinese ones by themselves',
      '東京都 に',
      ['東', '東京', '京', '京都', '都', 'に'],
    ],
    ['part scripts from one another', 'Iphoneの価格', ['iphon', 'の価', '価', '価格', '格']],
    ['keep vowel signs of other scripts', 'हिन्द привет', ['हिन्द', 'привет']],
    ['know a written date', '2023-05-08', ['2023', 'mai', '8']],
    ['know a date with a time', 'on 2023-12-31T23:59Z', ['on', '2023', 'decemb', '31', '23', '59z']],
    ['know a written month', '2023-05, then', ['2023', 'mai', '5', 'then']],
    [
      'take no date from other numbers',
      '2023-13-01 2023-00 12023-05-08 2023-05-081',
      ['2023', '13', '1', '0', '12023', '5', '8', '81'],
    ],
    ['are also the parts of a name in camel case', 'parseInvoiceTotal', ['parseinvoicetot', 'pars', 'invoic', 'total']],
    ['are also the letters and the digits of a code', 'KL1234 v2', ['kl1234', 'v2', 'kl', '1234', '2']],
    [
      'are no parts of a hash, a time or an abbreviation',
      'a1b2c3d 10T23:59Z p53 mRNA',
      ['a1b2c3d', '10t23', '59z', 'p53', 'mrna'],
    ],
    ['are names with their signs', 'C++ c# .NET', ['c', 'net', 'c++', 'c#', '.net']],
    ['are names without their dot', 'Node.js', ['node', 'js', 'nodej']],
    ['are versions as a whole', 'v2.3.1', ['v2', '3', '1', '2', '2.3.1']],
    [
      'are accounts without blanks',
      'DE89 3704 0044 0532',
      ['de89', '3704', '44', '532', '89370400440532', 'de89370400440532'],
    ],
    ['are the first seven digits of a hash', 'a1b2c3d4e5f6', ['a1b2c3d4e5f6', 'a1b2c3d']],
    ['are pictographs and flags', 'yes🎉 ❤️ 🇫🇷', ['ye', '🎉', '❤', '🇫🇷']],
    ['are none in quotes and marks', '"" ?! -- \u200b', []],
  ];
  for (const [title, written, terms] of cases) {
    it(title, () => expect(textKeys(written)).to.deep.equal(termKeys(...terms)));
  }

  it('are the same for new and for cached words', () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom('May', "it's", 'Ünï', '東京', '2023-05-08'), fc.string()), { maxLength: 8 }),
        (words) => {
          const written = words.join(' ');
          const fresh = keysOf(countsOf((into) => new TermReader(testHasher()).read(written, into)));
          reader.read(written, new TermCounts());
          expect(textKeys(written)).to.deep.equal(fresh);
        },
      ),
      { numRuns: RUNS },
    ));

  it('include the terms of each single word, in ASCII and beyond', () =>
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9' éß]{0,20}$/), (written) => {
        expect(textKeys(written)).to.include.members(termKeys(...new Set(foldWords(written))));
      }),
      { numRuns: RUNS },
    ));

  it('have a count of their occurrences', () => {
    const counts = countsOf((into) => reader.read('oak river oaks Oak', into));
    expect([...counts.times.subarray(0, counts.distinct)]).to.deep.equal([3, 1]);
    expect(counts.length).to.equal(4);
  });

  /** Letters in place of digits, without an ending that a stemmer cuts. */
  const wordOf = (n: number): string => `${n}`.replaceAll(/\d/g, (digit) => 'bcdfghjklm'.charAt(Number(digit)));

  it('have correct counts after a text of any length', () => {
    const counts = new TermCounts();
    for (const words of [30_000, 10, 70, 3]) {
      counts.clear();
      reader.read(Array.from({ length: words }, (_, n) => `q${wordOf(n)}q`).join(' '), counts);
      expect([counts.distinct, counts.length]).to.deep.equal([words, words]);
    }
  });
});

describe('the search terms of a fact', () => {
  it('are those of entity, relation, value and day', () => {
    expect(factKeys('user:alice', 'memory:likes', text('green tea'))).to.deep.equal(
      termKeys('user', 'alic', 'memori', 'like', '2023', 'mai', '8', 'green', 'tea'),
    );
  });

  it('contain the parts of names in camel case, and the whole names', () => {
    const keys = factKeys('svc://host/user/deepBlueSea', 'x:isHTTPServer', text(''));
    expect(keys).to.include.members(termKeys('deepbluesea', 'deep', 'blue', 'sea', 'ishttpserv', 'http', 'server'));
  });

  it('contain a date as its author wrote it', () => {
    const keys = factKeys('e', 'r', text(''), '2023-05-08T23:30:00-11:00');
    expect(keys).to.include.members(termKeys('mai', '8')).and.not.include.members(termKeys('9'));
  });

  it('contain values of every type', () => {
    const of = (type: FactValue['type'], v: FactValue['v']): string[] =>
      factKeys('e', 'r', { type, v, interpretAs: 'content' });
    expect(of('number', 4711)).to.include.members(termKeys('4711'));
    expect(of('boolean', true)).to.include.members(termKeys('true'));
    expect(of('datetime', '2021-07-04')).to.include.members(termKeys('juli', '4'));
    expect(of('ref', 'place:oldTown')).to.include.members(termKeys('oldtown', 'old', 'town'));
    expect(of('null', null)).to.deep.equal(termKeys('e', 'r', '2023', 'mai', '8'));
  });
});

describe('the search terms of a query', () => {
  const queryKeys = (query: string): string[] => keysOf(countsOf((into) => readQueryTerms(query, reader, into)));

  it('are those of its words without stop words', () => {
    expect(queryKeys("What's the colour of Noor's bike, and why don't we know?")).to.deep.equal(
      termKeys('what', 'colour', 'noor', 'bike', 'know'),
    );
  });

  it('are stop words only if there are no other words', () => {
    expect(queryKeys('Who are you?')).to.deep.equal(termKeys('who', 'ar', 'you'));
  });

  it('include a stop word that a hyphen joins to another word', () => {
    expect(queryKeys('Which genes are up-regulated?')).to.deep.equal(termKeys('gene', 'up', 'upregul', 'regul'));
  });

  it('include the name of a month that is also an ordinary word', () => {
    expect(queryKeys('What happened in May 2023?')).to.deep.equal(termKeys('happen', 'mai', '2023'));
  });

  it('are limited in number, however long the query', () => {
    const long = Array.from({ length: 150_000 }, (_, n) => `word${n}`).join(' ');
    expect(queryKeys(long).length).to.equal(4_096);
    expect(queryKeys('x'.repeat(2 ** 20))).to.have.length(1);
    expect(queryKeys('😀'.repeat(2 ** 18))).to.deep.equal(termKeys('😀'));
    expect(queryKeys('a-'.repeat(2 ** 19))).to.deep.equal(termKeys('a'));
  });
});

describe('the stem of a word', () => {
  const pairs = {
    caresses: 'caress',
    ponies: 'poni',
    ties: 'ti',
    cats: 'cat',
    feed: 'feed',
    agreed: 'agre',
    plastered: 'plaster',
    bled: 'bled',
    motoring: 'motor',
    sing: 'sing',
    conflated: 'conflat',
    troubled: 'troubl',
    sized: 'size',
    hopping: 'hop',
    tanned: 'tan',
    falling: 'fall',
    hissing: 'hiss',
    fizzed: 'fizz',
    failing: 'fail',
    filing: 'file',
    happy: 'happi',
    sky: 'sky',
    relational: 'relat',
    conditional: 'condit',
    rational: 'ration',
    valenci: 'valenc',
    digitizer: 'digit',
    radicalli: 'radic',
    vietnamization: 'vietnam',
    operator: 'oper',
    feudalism: 'feudal',
    decisiveness: 'decis',
    hopefulness: 'hope',
    formaliti: 'formal',
    sensibiliti: 'sensibl',
    triplicate: 'triplic',
    formative: 'form',
    formalize: 'formal',
    electrical: 'electr',
    goodness: 'good',
    revival: 'reviv',
    allowance: 'allow',
    inference: 'infer',
    airliner: 'airlin',
    adjustable: 'adjust',
    irritant: 'irrit',
    replacement: 'replac',
    adoption: 'adopt',
    communism: 'commun',
    activate: 'activ',
    effective: 'effect',
    bowdlerize: 'bowdler',
    probate: 'probat',
    rate: 'rate',
    cease: 'ceas',
    controll: 'control',
    roll: 'roll',
    yes: 'ye',
    yellowing: 'yellow',
    is: 'is',
  };
  for (const [word, stem] of Object.entries(pairs)) {
    it(`of ${word} is ${stem}`, () => expect(porterStem(word)).to.equal(stem));
  }
});
