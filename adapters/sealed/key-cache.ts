import type { SealedSubject } from '../../ports/ports.ts';
import { ServiceError } from '../../ports/ports.ts';
import { BoundedCache } from './bounded-cache.ts';
import {
  type ContentKeys,
  filePath,
  generationPath,
  type KeyRoot,
  LAST_GENERATION,
  type Purpose,
  presentRoot,
  purposePath,
  subjectLabel,
  tenantPath,
} from './content-keys.ts';
import { pathOf } from './key-tree.ts';
import { periodPath } from './period-keys.ts';
import {
  type BlockPermutation,
  createBlockPermutation,
  derivedKey,
  type HidingKeys,
  hidingKeys,
} from './value-seal.ts';

/** The keys of one generation of a subject. */
export interface SubjectKey {
  readonly cipher: Buffer;
  /** The key of the tree itself, for digests that belong to single facts. */
  readonly seed: Buffer;
  /** The keys of texts and bytes of plugins about the subject, as far as they were derived. */
  readonly texts: Record<TextUse, Buffer | undefined>;
}

export interface PresentKey {
  readonly generation: number;
  readonly key: SubjectKey;
}

/** The uses of keys of texts. */
export type TextUse = 'sealed' | 'bytes';
/** The uses of the keys of a tenant under which equal texts have equal forms. */
export type HidingUse = 'hidden' | 'commitments';

/** The keys of a subject that were derived so far. */
interface SubjectKeys {
  readonly label: Uint8Array;
  /** The path of the tenant. */
  readonly above: string;
  present: PresentKey | undefined;
  digest: Buffer | undefined;
  /** The last key that opened something, because most facts of a subject have the same one. */
  opening: { readonly rootId: number; readonly generation: number; readonly key: SubjectKey } | undefined;
}

const MOST_SUBJECTS = 10_000;
const MOST_TENANTS = 1_000;

/** Derives keys, and caches those that are used again. */
export class KeyCache {
  #keys: ContentKeys;
  readonly #subjects = new BoundedCache<SubjectKeys>(MOST_SUBJECTS);
  readonly #labelled = new BoundedCache<SubjectKey>(MOST_SUBJECTS);
  readonly #tenantPaths = new BoundedCache<string>(MOST_TENANTS);
  readonly #contentIds = new BoundedCache<BlockPermutation>(MOST_TENANTS);
  readonly #texts = new BoundedCache<Buffer>(MOST_TENANTS);
  readonly #hiding = new BoundedCache<HidingKeys>(MOST_TENANTS);
  /** The subject of the last call, because several calls about one follow each other. */
  #last: { readonly subject: SealedSubject; readonly known: SubjectKeys } | undefined;

  constructor(keys: ContentKeys) {
    this.#keys = keys;
  }

  get version(): number {
    return this.#keys.version;
  }

  get keys(): ContentKeys {
    return this.#keys;
  }

  /** The id of the root that seals new content. */
  get rootId(): number {
    return presentRoot(this.#keys).id;
  }

  /** Replaces the keys, and forgets everything that was derived from the former ones. */
  replace(keys: ContentKeys): void {
    this.#keys = keys;
    this.#last = undefined;
    for (const cache of [this.#subjects, this.#labelled, this.#tenantPaths]) cache.clear();
    for (const cache of [this.#contentIds, this.#texts, this.#hiding]) cache.clear();
  }

  /** Returns the key that seals new content of a subject, or the first one above a generation. */
  present(subject: SealedSubject, above?: number): PresentKey {
    const known = this.#subject(subject);
    if (above !== undefined) return this.#presentKey(known, above + 1);
    known.present ??= this.#presentKey(known, 0);
    return known.present;
  }

  /** Returns a key of a subject; undefined for a destroyed one, and for one of a root that was dropped. */
  keyOf(subject: SealedSubject, rootId: number, generation: number): SubjectKey | undefined {
    const known = this.#subject(subject);
    const { present, opening } = known;
    if (present?.generation === generation && rootId === this.rootId) return present.key;
    if (opening?.generation === generation && opening.rootId === rootId) return opening.key;
    const seed = this.#root(rootId)?.tree.keyBelow(known.above, known.label, generationPath('value', generation));
    if (seed === undefined) return undefined;
    const key = subjectKey(seed);
    known.opening = { rootId, generation, key };
    return key;
  }

  /** Returns whether the root is there, and an erasure has destroyed this key below it. */
  isDestroyed(subject: SealedSubject, rootId: number, generation: number): boolean {
    return this.#root(rootId) !== undefined && this.keyOf(subject, rootId, generation) === undefined;
  }

  /** Returns the key that seals new texts about a subject, and the label that names it in their headers. */
  labelledPresent(subject: SealedSubject): PresentKey & { readonly label: Uint8Array } {
    const { generation, key } = this.present(subject);
    return { generation, key, label: this.#subject(subject).label };
  }

  /** Returns a key of the subject with this label, like `keyOf`. */
  labelledKey(tenantId: string, label: Uint8Array, rootId: number, generation: number): SubjectKey | undefined {
    return this.#labelled.find(nameOfLabel(rootId, generation, label, tenantId), () => {
      const path = generationPath('value', generation);
      const seed = this.#root(rootId)?.tree.keyBelow(this.#tenantPath(tenantId), label, path);
      return seed && subjectKey(seed);
    });
  }

  digestKey(subject: SealedSubject): Buffer {
    const known = this.#subject(subject);
    if (known.digest === undefined) {
      known.digest = this.#firstLeft(known, 'digest', 0).seed;
      // A caller that compares a value mostly seals it next, and both keys lie below one node.
      known.present ??= this.#presentKey(known, 0);
    }
    return known.digest;
  }

  /** Returns the permutation of a tenant's content ids. */
  contentIds(tenantId: string): BlockPermutation {
    return this.#contentIds.get(tenantId, () =>
      createBlockPermutation(this.#needed(presentRoot(this.#keys), purposePath(this.#keys, tenantId, 'content ids'))),
    );
  }

  /** Returns the key for one use of a tenant's texts; undefined when it is gone. */
  textKey(tenantId: string, rootId: number, use: TextUse): Buffer | undefined {
    return this.#texts.find(`${rootId} ${use} ${tenantId}`, () => this.#tenantKey(tenantId, rootId, use));
  }

  /** Returns the keys that hide texts of a tenant for one use; undefined when they are gone. */
  hidingKeys(tenantId: string, rootId: number, use: HidingUse): HidingKeys | undefined {
    return this.#hiding.find(`${rootId} ${use} ${tenantId}`, () => {
      const key = this.#tenantKey(tenantId, rootId, use);
      return key && hidingKeys(key);
    });
  }

  #tenantKey(tenantId: string, rootId: number, use: TextUse | HidingUse): Buffer | undefined {
    const key = this.#root(rootId)?.tree.keyAt(purposePath(this.#keys, tenantId, 'texts'));
    return key && derivedKey(key, use);
  }

  /** Returns the key for a tenant's texts of one period in a table; undefined when it is gone. */
  periodKey(table: string, period: number, tenantId: string, rootId: number): Buffer | undefined {
    return this.#texts.find(`${rootId} period ${period} ${table} ${tenantId}`, () => {
      const ofPeriod = this.#root(rootId)?.tree.keyAt(periodPath(this.#keys, table, period));
      // With the key of the tenant, the texts of a removed tenant go at once.
      const ofTenant = this.#tenantKey(tenantId, rootId, 'sealed');
      return ofPeriod && ofTenant && derivedKey(ofTenant, `period ${ofPeriod.toString('hex')}`);
    });
  }

  /** Returns the key for a file of the node; undefined when it is gone. */
  fileKey(name: string, rootId: number): Buffer | undefined {
    return this.#texts.find(`${rootId} file ${name}`, () => {
      const key = this.#root(rootId)?.tree.keyAt(filePath(this.#keys, name));
      return key && derivedKey(key, 'bytes');
    });
  }

  /** Returns the path of a key of a subject. */
  pathOf(subject: SealedSubject, purpose: Purpose, generation: number): string {
    const { above, label } = this.#subject(subject);
    return above + pathOf(label) + generationPath(purpose, generation);
  }

  /** Returns the path of the first key of a subject that is not destroyed. */
  presentPath(subject: SealedSubject, purpose: Purpose): string {
    return this.pathOf(subject, purpose, this.#firstLeft(this.#subject(subject), purpose, 0).generation);
  }

  #subject(subject: SealedSubject): SubjectKeys {
    const last = this.#last;
    if (last !== undefined && isSame(last.subject, subject)) return last.known;
    const { tenantId, entityKey, scope } = subject;
    const known = this.#subjects.get(nameOf(subject), () => {
      const label = subjectLabel(this.#keys, subject);
      return { label, above: this.#tenantPath(tenantId), present: undefined, digest: undefined, opening: undefined };
    });
    this.#last = { subject: { tenantId, entityKey, scope }, known };
    return known;
  }

  #tenantPath(tenantId: string): string {
    return this.#tenantPaths.get(tenantId, () => tenantPath(this.#keys, tenantId));
  }

  #presentKey(known: SubjectKeys, from: number): PresentKey {
    const { generation, seed } = this.#firstLeft(known, 'value', from);
    return { generation, key: subjectKey(seed) };
  }

  /** Returns the first key of a subject that is not destroyed. */
  #firstLeft(
    { above, label }: SubjectKeys,
    purpose: Purpose,
    from: number,
  ): { readonly generation: number; readonly seed: Buffer } {
    const { tree } = presentRoot(this.#keys);
    for (let generation = from; generation <= LAST_GENERATION; generation++) {
      const seed = tree.keyBelow(above, label, generationPath(purpose, generation));
      if (seed !== undefined) return { generation, seed };
    }
    throw new ServiceError('conflict', 'the facts about this entity were erased too often for another key', {
      hint: 'run encryption rotate, which draws new keys for everything',
    });
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

/** Spells a subject. The lengths tell texts apart that are the same when joined. */
const nameOf = ({ tenantId, entityKey, scope }: SealedSubject): string =>
  `${tenantId.length} ${scope.length} ${tenantId}${scope}${entityKey}`;

const isSame = (one: SealedSubject, other: SealedSubject): boolean =>
  one.entityKey === other.entityKey && one.scope === other.scope && one.tenantId === other.tenantId;

const nameOfLabel = (rootId: number, generation: number, label: Uint8Array, tenantId: string): string =>
  `${rootId} ${generation} ${String.fromCharCode(...label)} ${tenantId}`;

const subjectKey = (seed: Buffer): SubjectKey => ({
  cipher: derivedKey(seed, 'value'),
  seed,
  texts: { sealed: undefined, bytes: undefined },
});

/** Returns the key for texts of one use about a subject. */
export const textKeyOf = ({ cipher, texts }: SubjectKey, use: TextUse): Buffer => {
  texts[use] ??= derivedKey(cipher, use);
  return texts[use];
};
