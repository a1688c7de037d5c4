import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Random } from '../../../kernel/plugin-api.ts';
import type { IndexHost } from '../host/index-host.ts';
import { type FileExtent, OWNER_ONLY, type SnapshotExtents } from './snapshot-extents.ts';

/** The owner of a snapshot. A snapshot of another store, or from before a reset of the store, is unusable. */
export interface SnapshotOwner {
  readonly nodeId: string;
  readonly epoch: string;
  /** The number of erasures so far: an older snapshot may hold words of erased facts. */
  readonly erasures: string;
  /** The build number of the index, which rises when an operator requests a rebuild. */
  readonly build: string;
}

/** The content of the manifest: the owner, and the snapshot files with their extents. */
type Manifest = SnapshotOwner & SnapshotExtents;

const MANIFEST = 'manifest.json';
/** Suffix of all snapshot files. Other files in the folder are never removed. */
const SUFFIX = '.snapshot';

/**
 * The files of index snapshots. The manifest is replaced last and atomically, so that a reader always finds whole files
 * of one moment.
 */
export class SnapshotFiles {
  readonly #folder: string;
  readonly #random: Random;

  constructor(folder: string, random: Random) {
    this.#folder = folder;
    this.#random = random;
  }

  /** Returns the snapshot of this owner, or undefined if there is none. */
  async find(owner: SnapshotOwner): Promise<SnapshotExtents | undefined> {
    let manifest: Manifest | null;
    try {
      manifest = JSON.parse(await readFile(join(this.#folder, MANIFEST), 'utf8')) as Manifest | null;
    } catch {
      return undefined;
    }
    // The manifest may contain anything; one of another owner counts as missing.
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
   * Replaces the previous snapshot by the output of `write`. With `isHasty`, other work waits for the end, so `write`
   * writes as little as possible.
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

  /** Removes all snapshots, and unfinished ones too. */
  async drop(): Promise<void> {
    await rm(join(this.#folder, MANIFEST), { force: true });
    try {
      await this.#remove(() => true);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  /** Removes files from the folder. A process that has one of them open can still read it. */
  async #remove(isUseless: (file: string) => boolean): Promise<void> {
    for (const file of await readdir(this.#folder)) {
      if (file.endsWith(SUFFIX) && isUseless(file)) await rm(join(this.#folder, file), { force: true });
    }
  }
}

/** Checks a file entry of a manifest, which may name only files of this folder. */
const isFile = <F extends FileExtent>(kept: F | null | undefined): kept is F =>
  typeof kept?.file === 'string' && kept.file === basename(kept.file) && Number.isInteger(kept.bytes);

const nameOf = <F extends FileExtent>(kept: F): F => ({ ...kept, file: basename(kept.file) });

/** The count for a store without erasures, and for manifests of older versions, which lack it. */
export const NO_ERASURES = '0';
/** The build number before the first rebuild, and for manifests of older versions, which lack it. */
export const FIRST_BUILD = '0';
