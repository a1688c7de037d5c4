import { drawHashSeed, TextHasher } from '../../../../plugins/search/index/text-hash.ts';
import { createSeededRandom } from '../../../fakes/seeded-random.ts';

/** The seed of indexes in tests. Their results do not depend on it. */
export const TEST_SEED = drawHashSeed(createSeededRandom(7));

export const testHasher = (): TextHasher => new TextHasher(TEST_SEED);
