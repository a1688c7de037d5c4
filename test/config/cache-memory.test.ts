import { expect } from 'chai';
import { cacheMemoryOf } from '../../config/cache-memory.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

const totalMiB = (node: Parameters<typeof cacheMemoryOf>[0], machineBytes: number): number => {
  const { ofStore, ofPlugins } = cacheMemoryOf(node, machineBytes);
  return (ofStore + ofPlugins) / MIB;
};

describe('the memory of caches', () => {
  for (const [machineBytes, expectedMiB] of [
    [GIB, 32],
    [3 * GIB, 48],
    [256 * GIB, 64],
  ] as const) {
    it(`is ${expectedMiB} MiB by default on a machine with ${machineBytes / GIB} GiB`, () => {
      expect(totalMiB({ cacheMiB: 'auto', workers: 1 }, machineBytes)).to.equal(expectedMiB);
    });
  }

  it('is divided among the processes of the node', () => {
    expect(totalMiB({ cacheMiB: 96, workers: 4 }, GIB)).to.equal(24);
  });

  it('goes to facts for two thirds, and to answers for the rest', () => {
    expect(cacheMemoryOf({ cacheMiB: 96, workers: 1 }, GIB)).to.deep.equal({ ofStore: 64 * MIB, ofPlugins: 32 * MIB });
  });

  it('is 0 bytes where the operator sets 0', () => {
    expect(cacheMemoryOf({ cacheMiB: 0, workers: 2 }, GIB)).to.deep.equal({ ofStore: 0, ofPlugins: 0 });
  });

  it('is known on this machine', () => {
    const { ofStore, ofPlugins } = cacheMemoryOf({ cacheMiB: 'auto', workers: 1 });
    expect((ofStore + ofPlugins) / MIB).to.be.within(32, 64);
  });
});
