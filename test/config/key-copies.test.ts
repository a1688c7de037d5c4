import { expect } from 'chai';
import { spellKeys } from '../../adapters/sealed/content-key-file.ts';
import { freshKeys } from '../../adapters/sealed/content-keys.ts';
import { replaceKeyCopies } from '../../config/key-copies.ts';
import { type ObjectStore, ServiceError } from '../../ports/ports.ts';
import { memoryKeySource } from '../kit/content-seal.ts';

/** A target that keeps former versions, of which `lock` may refuse the removal. */
class KeptVersions {
  versions: Buffer[] = [];
  lock: ServiceError | undefined;

  readonly store = {
    place: 'memory',
    read: (): AsyncIterable<Uint8Array> => this.#read(),
    write: async (_path: string, { read }: { read(): AsyncIterable<Uint8Array> }) => {
      const parts: Uint8Array[] = [];
      for await (const part of read()) parts.push(part);
      this.versions.push(Buffer.concat(parts));
    },
    removeFormer: async () => {
      if (this.lock !== undefined) throw this.lock;
      this.versions = this.versions.slice(-1);
    },
  } as unknown as ObjectStore;

  async *#read(): AsyncGenerator<Uint8Array> {
    const present = this.versions.at(-1);
    if (present === undefined) throw new ServiceError('lookup', 'there is none');
    yield present;
  }
}

describe('the copy of the content keys in a target that keeps versions', () => {
  const target = 's3://bucket/node';
  const source = memoryKeySource();
  const keys = freshKeys();
  let kept: KeptVersions;
  const replace = async (version: number): Promise<readonly string[]> => {
    const open = async (): Promise<ObjectStore> => kept.store;
    return replaceKeyCopies({ target }, { open }, await spellKeys({ ...keys, version }, source));
  };
  const present = (): number[] => kept.versions.map((text) => JSON.parse(text.toString()).version);
  beforeEach(async () => {
    kept = new KeptVersions();
    expect(await replace(1)).to.deep.equal([]);
  });

  it('leaves no former version', async () => {
    expect(await replace(2)).to.deep.equal([]);
    expect(present()).to.deep.equal([2]);
  });

  it('is named with the destroyed keys where a lock keeps a former version', async () => {
    kept.lock = new ServiceError('conflict', 'a former version is locked');
    expect(await replace(2)).to.deep.equal([
      'the target of the backups still has an earlier copy of the content keys, with the destroyed ones: ' +
        'a former version is locked',
    ]);
    expect(present()).to.deep.equal([1, 2]);
  });

  it('stays as it is where it belongs to another store', async () => {
    kept.versions = [Buffer.from(await spellKeys(freshKeys(), source))];
    const [sentence, ...more] = await replace(2);
    expect(sentence).to.include('the target of the backups has no copy of these content keys');
    expect([more, present()]).to.deep.equal([[], [1]]);
  });
});
