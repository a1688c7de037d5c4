import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Random } from '../../../kernel/plugin-api.ts';
import type { IndexHost } from '../host/index-host.ts';
import type { FileExtent, SnapshotExtents } from './snapshot-extents.ts';

/** The owner of a snapshot: one of another store, or of that store before it was put back, is worth nothing. */
export interface SnapshotOwner {
  readonly nodeId: string;
  readonly epoch: string;
  /** How many erasures there were: a snapshot from before holds words of erased facts. */
  readonly erasures: string;
  /** Which build of the index it is: an operator may have asked for another one. */
  readonly build: string;
}

/** The content of the folder: names of files, and their extents. */
type Manifest = SnapshotOwner & SnapshotExtents;

const MANIFEST = 'manifest.json';
/** Files carry it, so that nothing else in the folder is ever removed. */
const SUFFIX = '.snapshot';

/**
 * The files of index snapshots. The manifest is replaced last and at once: who reads it finds whole files of one
 * moment.
 */
export class SnapshotFiles {
  readonly #folder: string;
  readonly #random: Random;

  constructor(folder: string, random: Random) {
    this.#folder = folder;
    this.#random = random;
  }

  /** Undefined where there is none for this owner. */
  async find(owner: SnapshotOwner): Promise<SnapshotExtents | undefined> {
    let manifest: Manifest | null;
    try {
      manifest = JSON.parse(await readFile(join(this.#folder, MANIFEST), 'utf8')) as Manifest | null;
    } catch {
      return undefined;
    }
    // For any content of the file: what does not name its owner is nobody's.
    if (manifest?.nodeId !== owner.nodeId || manifest.epoch !== owner.epoch) return undefined;
    if ((manifest.erasures ?? NO_ERASURES) !== owner.erasures) {
      await this.drop();
      return undefined;
    }
    if ((manifest.build ?? FIRST_BUILD) !== owner.build) return undefined;
    const { index, vectors } = manifest;
    if (!isFile(index)) return undefined;
    return { index: this.#inFolder(index), ...(isFile(vectors) ? { vectors: this.#inFolder(vectors) } : {}) };
  }

  /**
   * Puts what `write` writes in place of the snapshot before. `isHasty` while others wait for the end of it: then as
   * little as possible is written.
   */
  async save(owner: SnapshotOwner, write: IndexHost['write'], { isHasty = false } = {}): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const name = this.#random.uuid();
    const [index, vectors] = ['index', 'vectors'].map((what) => join(this.#folder, `${name}-${what}${SUFFIX}`));
    let used: readonly string[];
    try {
      const fresh = { index: String(index), vectors: String(vectors) };
      const written = await write({ fresh, kept: await this.find(owner), isHasty });
      const manifest: Manifest = {
        ...owner,
        index: nameOf(written.index),
        ...(written.vectors === undefined ? {} : { vectors: nameOf(written.vectors) }),
      };
      used = [manifest.index.file, ...(manifest.vectors === undefined ? [] : [manifest.vectors.file])];
      const draft = join(this.#folder, `${name}${SUFFIX}`);
      await writeFile(draft, JSON.stringify(manifest), { mode: OWNER_ONLY });
      await rename(draft, join(this.#folder, MANIFEST));
    } catch (error) {
      await this.#remove((file) => file.startsWith(name));
      throw error;
    }
    await this.#remove((file) => !used.includes(file));
  }

  #inFolder<F extends FileExtent>(kept: F): F {
    return { ...kept, file: join(this.#folder, kept.file) };
  }

  /** Removes all snapshots, unfinished ones too. */
  async drop(): Promise<void> {
    await rm(join(this.#folder, MANIFEST), { force: true });
    try {
      await this.#remove(() => true);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  /** A reader that has one of them open keeps it. */
  async #remove(isUseless: (file: string) => boolean): Promise<void> {
    for (const file of await readdir(this.#folder)) {
      if (file.endsWith(SUFFIX) && isUseless(file)) await rm(join(this.#folder, file), { force: true });
    }
  }
}

/** A manifest may name only files of this folder. */
const isFile = <F extends FileExtent>(kept: F | null | undefined): kept is F =>
  typeof kept?.file === 'string' && kept.file === basename(kept.file) && Number.isInteger(kept.bytes);

const nameOf = <F extends FileExtent>(kept: F): F => ({ ...kept, file: basename(kept.file) });

/** In a store without erasures; manifests of older versions do not say it. */
export const NO_ERASURES = '0';
/** Before an operator has asked for another build; manifests of older versions do not say it. */
export const FIRST_BUILD = '0';

/** A snapshot holds what everybody said. */
const OWNER_ONLY = 0o600;
