import { expect } from 'chai';
import { createSystemRandom } from '../../../adapters/random/system-random.ts';
import type { Random } from '../../../kernel/crypto/random.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';

const DRAWS = 200;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const sources: Readonly<Record<string, () => Random>> = {
  'the system’s chance': createSystemRandom,
  'chance with a seed': createSeededRandom,
};

for (const [name, create] of Object.entries(sources)) {
  describe(name, () => {
    const draw = <T>(one: (random: Random) => T): T[] => {
      const random = create();
      return Array.from({ length: DRAWS }, () => one(random));
    };

    it('generates version 4 UUIDs that do not repeat', () => {
      const ids = draw((random) => random.uuid());
      expect(new Set(ids).size).to.equal(DRAWS);
      for (const id of ids) expect(id).to.match(UUID);
    });

    it('returns the requested number of bytes, including zero', () => {
      const random = create();
      for (const length of [0, 1, 32, 1000]) expect(random.bytes(length)).to.have.length(length);
      expect(new Set(draw((each) => each.bytes(16).join())).size).to.equal(DRAWS);
    });

    it('returns fractions from 0 up to 1', () => {
      for (const fraction of draw((random) => random.fraction())) expect(fraction).to.be.at.least(0).and.below(1);
    });
  });
}

describe('the seeded random source', () => {
  it('returns the same numbers for the same seed', () => {
    const all = (random: Random) => [random.uuid(), random.fraction(), random.bytes(8).join()];
    expect(all(createSeededRandom(7))).to.deep.equal(all(createSeededRandom(7)));
    expect(all(createSeededRandom(7))).not.to.deep.equal(all(createSeededRandom(8)));
  });
});
