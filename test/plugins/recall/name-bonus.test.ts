import { expect } from 'chai';
import { namedFactor, namesIn } from '../../../plugins/recall/name-bonus.ts';
import { sampleFact } from '../../kit/fact-samples.ts';

const fact = (v: string, entity = 'turn:1') =>
  sampleFact(1, { entity, value: { type: 'text', v, interpretAs: 'content' } });
const share = (query: string, v: string, entity?: string): number => namesIn(query)(fact(v, entity));

describe('a name in the query, compared with the names of a fact', () => {
  it('matches the speaker: the words before the first colon of a text', () => {
    expect(share('What did Mira plant?', 'Mira: I planted beans: two rows.')).to.equal(1);
    expect(share('What did Mira plant?', 'Jonas: Mira planted beans.')).to.equal(0);
  });

  it('matches the readable name of the entity', () => {
    expect(share('Where does Mira live?', 'in Ghent', 'user:mira')).to.equal(1);
    expect(share('Where does Mira live?', 'in Ghent', 'svc://node/people/mira')).to.equal(1);
    expect(share('Where does Mira live?', 'in Ghent', 'user:jonas')).to.equal(0);
  });

  it('matches in any spelling, and in the possessive', () => {
    for (const query of ["mira's garden", 'MIRA’S garden', 'the garden of míra']) {
      expect(share(query, 'Mira: beans'), query).to.equal(1);
    }
  });

  it('matches a part of a name in proportion to its length', () => {
    expect(share('What did Mira plant?', 'Mira Holm: beans')).to.equal(0.5);
    expect(share('What did Mira Holm plant?', 'Mira Holm: beans')).to.equal(1);
    expect(share('What did Holm plant?', 'Dr Mira Holm: beans')).to.be.closeTo(1 / 3, 1e-12);
  });

  for (const [what, v] of [
    ['a sentence', 'what Mira said then: beans'],
    ['an hour', '10:30 beans'],
    ['an address', 'mira://garden/10'],
    ['a line of its own', 'mira\nsaid: beans'],
    ['nothing', ': mira'],
    ['far too long', `mira ${'x'.repeat(200)}: beans`],
  ] as const) {
    it(`matches no speaker if ${what} stands before the colon`, () => {
      expect(share('What did Mira plant at 10?', v)).to.equal(0);
    });
  }

  it('matches no speaker in a value that is not text', () => {
    const reference = sampleFact(1, {
      entity: 'turn:1',
      value: { type: 'ref', v: 'user: mira', interpretAs: 'content' },
    });
    expect(namesIn('user mira')(reference)).to.equal(0);
  });

  it('matches no name if the query contains only common words', () => {
    expect(share('Who is Mira?', 'Who: beans')).to.equal(0);
  });
});

describe('the score factor for facts whose name the query contains', () => {
  it('is 1 without a name, 1.5 for the best match, and in between for a partial match', () => {
    expect([0, 0.25, 0.5].map((part) => namedFactor(part, 0.5))).to.deep.equal([1, 1.25, 1.5]);
    expect(namedFactor(0, 0)).to.equal(1);
  });
});
