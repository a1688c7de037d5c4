import type { SealedSubject } from '../../ports/ports.ts';
import { ServiceError } from '../../ports/ports.ts';
import {
  type ContentKeys,
  filePath,
  generationOf,
  generationPath,
  type KeyRoot,
  LAST_GENERATION,
  type Purpose,
  presentRoot,
  purposePath,
  subjectPath,
} from './content-keys.ts';
import { type BlockPermutation, createBlockPermutation, derivedKey } from './value-seal.ts';

/** The keys of one generation of a subject. */
export interface SubjectKey {
  readonly cipher: Buffer;
  readonly salts: BlockPermutation;
}

export interface PresentKey {
  readonly generation: number;
  readonly key: SubjectKey;
}

/** The uses of the keys of a tenant's texts. */
export type TextUse = 'sealed' | 'hidden' | 'bytes';

const MOST_SUBJECTS = 10_000;
const MOST_TENANTS = 1_000;

/** Derives keys, and caches those that are used again. */
export class KeyCache {
  #keys: ContentKeys;
  #present: BoundedCache<PresentKey>;
  #subjects: BoundedCache<SubjectKey>;
  #digests: BoundedCache<Buffer>;
  #tenants: BoundedCache<BlockPermutation>;
  #texts: BoundedCache<Buffer>;

  constructor(keys: ContentKeys) {
    this.#keys = keys;
    this.#present = new BoundedCache(MOST_SUBJECTS);
    this.#subjects = new BoundedCache(MOST_SUBJECTS);
    this.#digests = new BoundedCache(MOST_SUBJECTS);
    this.#tenants = new BoundedCache(MOST_TENANTS);
    this.#texts = new BoundedCache(MOST_TENANTS);
  }

  get version(): number {
    return this.#keys.version;
  }

  /** The id of the root that seals new content. */
  get rootId(): number {
    return presentRoot(this.#keys).id;
  }

  /** Replaces the keys, and forgets everything that was derived from the former ones. */
  replace(keys: ContentKeys): void {
    this.#keys = keys;
    for (const cache of [this.#present, this.#subjects, this.#digests, this.#tenants, this.#texts]) cache.clear();
  }

  /** Returns the key that seals new content of a subject, or the first one above a generation. */
  present(subject: SealedSubject, above?: number): PresentKey {
    if (above !== undefined) return this.#presentKey(subject, above + 1);
    return this.#present.get(nameOf(subject), () => this.#presentKey(subject));
  }

  /** Returns a key of a subject; undefined for a destroyed one, and for one of a root that was dropped. */
  keyOf(subject: SealedSubject, rootId: number, generation: number): SubjectKey | undefined {
    return this.#subjects.find(`${rootId} ${generation} ${nameOf(subject)}`, () => {
      const seed = this.#root(rootId)?.tree.keyAt(
        generationPath(subjectPath(this.#keys, subject), 'value', generation),
      );
      return seed && subjectKey(seed);
    });
  }

  digestKey(subject: SealedSubject): Buffer {
    return this.#digests.get(nameOf(subject), () =>
      derivedKey(this.#presentSeed(this.presentPath(subject, 'digest')), 'digest'),
    );
  }

  /** Returns the permutation of a tenant's content ids. */
  contentIds(tenantId: string): BlockPermutation {
    return this.#tenants.get(tenantId, () =>
      createBlockPermutation(this.#needed(presentRoot(this.#keys), purposePath(this.#keys, tenantId, 'content ids'))),
    );
  }

  /** Returns the key for one use of a tenant's texts; undefined when it is gone. */
  textKey(tenantId: string, rootId: number, use: TextUse): Buffer | undefined {
    return this.#texts.find(JSON.stringify([rootId, use, tenantId]), () => {
      const key = this.#root(rootId)?.tree.keyAt(purposePath(this.#keys, tenantId, 'texts'));
      return key && derivedKey(key, use);
    });
  }

  /** Returns the key for a file of the node; undefined when it is gone. */
  fileKey(name: string, rootId: number): Buffer | undefined {
    return this.#texts.find(JSON.stringify([rootId, name]), () => {
      const key = this.#root(rootId)?.tree.keyAt(filePath(this.#keys, name));
      return key && derivedKey(key, 'bytes');
    });
  }

  /** Returns the path of the first generation below a subject that is not destroyed. */
  presentPath(subject: SealedSubject, purpose: Purpose, from = 0): string {
    const { tree } = presentRoot(this.#keys);
    const above = subjectPath(this.#keys, subject);
    for (let generation = from; generation <= LAST_GENERATION; generation++) {
      const path = generationPath(above, purpose, generation);
      if (tree.keyAt(path) !== undefined) return path;
    }
    throw new ServiceError('conflict', 'the facts about this entity were erased too often for another key', {
      hint: 'run encryption rotate, which draws new keys for everything',
    });
  }

  #presentKey(subject: SealedSubject, from = 0): PresentKey {
    const path = this.presentPath(subject, 'value', from);
    return { generation: generationOf(path), key: subjectKey(this.#presentSeed(path)) };
  }

  #presentSeed(path: string): Buffer {
    return this.#needed(presentRoot(this.#keys), path);
  }

  #needed({ tree }: KeyRoot, path: string): Buffer {
    const key = tree.keyAt(path);
    if (key === undefined) throw new ServiceError('unavailable', 'the keys of this tenant were destroyed');
    return key;
  }

  #root(id: number): KeyRoot | undefined {
    return this.#keys.roots.find((root) => root.id === id);
  }
}

/** Drops the oldest half when it is full. */
class BoundedCache<T> {
  readonly #most: number;
  readonly #entries = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  get(name: string, make: () => T): T {
    return this.find(name, make) as T;
  }

  find(name: string, make: () => T | undefined): T | undefined {
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    const made = make();
    if (made === undefined) return undefined;
    if (this.#entries.size >= this.#most) this.#dropHalf();
    this.#entries.set(name, made);
    return made;
  }

  clear(): void {
    this.#entries.clear();
  }

  #dropHalf(): void {
    let left = Math.ceil(this.#most / 2);
    for (const name of this.#entries.keys()) {
      if (left === 0) return;
      this.#entries.delete(name);
      left -= 1;
    }
  }
}

const nameOf = ({ tenantId, entityKey, scope }: SealedSubject): string => JSON.stringify([tenantId, entityKey, scope]);

const subjectKey = (seed: Buffer): SubjectKey => {
  const forSalts = derivedKey(seed, 'salt');
  let salts: BlockPermutation | undefined;
  return {
    cipher: derivedKey(seed, 'value'),
    // Most readers open values only.
    get salts() {
      salts ??= createBlockPermutation(forSalts);
      return salts;
    },
  };
};
