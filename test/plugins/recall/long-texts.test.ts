import { expect } from 'chai';
import { plainView } from '../../../kernel/internal-api.ts';
import type { FactValue } from '../../../kernel/plugin-api.ts';
import { newestWordingFirst, type Ranked } from '../../../plugins/recall/newest-wording.ts';
import { sayOnce } from '../../../plugins/recall/say-once.ts';
import { sampleFact, sampleId } from '../../kit/fact-samples.ts';

const MEBIBYTE = 1024 * 1024;
const CANDIDATES = 48;
const SALIENCE = { recency: 1, confidence: 1, access: 0, contradiction: 1, gardenTier: 1, sourceTrust: 1 };

const candidate = (n: number, v: FactValue['v'], members: object = {}): Ranked => ({
  view: plainView(
    sampleFact(n, { relationKey: `memory:r${n}`, value: { type: 'text', v, interpretAs: 'content' }, ...members }),
  ),
  score: 1 - n / 1000,
  rank: 1 - n / 1000,
  stages: { lexical: 0, semantic: 0, graph: 1 },
  fused: 1,
  named: 1,
  timed: 1,
  salience: SALIENCE,
  hops: 0,
  tokens: 1,
  fromCard: false,
});

const ranked = (candidates: readonly Ranked[]): Ranked[] => newestWordingFirst(sayOnce(candidates));

/** Counts the characters of texts that are brought into lower case, which every fold of a text does once. */
const foldedDuring = (work: () => void): number => {
  const { toLowerCase } = String.prototype;
  let characters = 0;
  String.prototype.toLowerCase = function (this: string) {
    characters += this.length;
    return toLowerCase.call(this);
  };
  try {
    work();
  } finally {
    String.prototype.toLowerCase = toLowerCase;
  }
  return characters;
};

const idsOf = (facts: readonly Ranked[]): string[] => facts.map(({ view }) => view.fact.id);

describe('long texts among the candidates of a recall', () => {
  it('cost as much folding as their beginnings, if all of them look alike', () => {
    const beginning = 'e\u0301'.repeat(100_000);
    const candidates = Array.from({ length: CANDIDATES }, (_, n) => candidate(n, `${beginning}${'x'.repeat(n)}`));
    const characters = foldedDuring(() => {
      expect(ranked(candidates)).to.have.length(CANDIDATES);
    });
    expect(characters).to.be.at.most(CANDIDATES * 4 * 4_096);
  });

  it('are folded at most once each, if beginning and length are equal', () => {
    const beginning = 'E\u0301 a b c '.repeat(10_000);
    const candidates = Array.from({ length: CANDIDATES }, (_, n) => candidate(n, `${beginning}${100 + n}`));
    const total = CANDIDATES * (beginning.length + 3);
    const characters = foldedDuring(() => {
      expect(ranked(candidates)).to.have.length(CANDIDATES);
    });
    expect(characters).to.be.at.most(total + CANDIDATES * 4 * 4_096);
  });

  it('count once if they are equal, in any case of letters', () => {
    const text = 'The ferry leaves at nine. '.repeat(MEBIBYTE / 64);
    const [only, ...others] = ranked([candidate(1, text), candidate(2, text.toUpperCase()), candidate(3, text)]);
    expect([only?.view.fact.id, only?.copies, others]).to.deep.equal([sampleId(1), [2, 3].map(sampleId), []]);
  });

  it('count separately if they differ only at their ends', () => {
    const text = 'The ferry leaves at nine. '.repeat(MEBIBYTE / 64);
    expect(ranked([candidate(1, `${text}a`), candidate(2, `${text}b`)])).to.have.length(2);
  });

  it('count separately as long as the recall has not read them', () => {
    const unread = { unreadBytes: MEBIBYTE, relationKey: 'memory:one' };
    expect(idsOf(ranked([1, 2].map((n) => candidate(n, '', unread))))).to.have.members([1, 2].map(sampleId));
  });

  it('leave short texts with differences in white space and composition equal', () => {
    for (const length of [1, 100, 4_000]) {
      const text = `Jos\u00e9 opens the shop ${'x'.repeat(length)}`;
      const other = ` JOSE\u0301  opens the\nshop ${'X'.repeat(length)} `;
      expect(ranked([candidate(1, text), candidate(2, other)]), String(length)).to.have.length(1);
    }
  });
});
