import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { decodeBase64Url, encodeBase64Url, type PluginFiles } from '../../../kernel/internal-api.ts';
import type { Random } from '../../../kernel/plugin-api.ts';
import type { IndexHost } from '../host/index-host.ts';
import { FILE_KEY_BYTES } from './file-cipher.ts';
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

/** A file in a manifest, with its sealed key in place of its key. */
type Named<F extends FileExtent> = Omit<F, 'key'> & { readonly key?: string };

/** The content of the manifest: the owner, and the snapshot files with their extents. */
type Manifest = SnapshotOwner & {
  readonly index: Named<FileExtent>;
  readonly vectors?: Named<NonNullable<SnapshotExtents['vectors']>> | undefined;
};

const MANIFEST = 'manifest.json';
/** Suffix of all snapshot files. Other files in the folder are never removed. */
const SUFFIX = '.snapshot';
/** A folder in the place of a file must hold up no erasure. */
const ANYTHING = { recursive: true, force: true };

/**
 * The files of index snapshots. The manifest is replaced last and atomically, so that a reader always finds whole files
 * of one moment.
 */
export class SnapshotFiles {
  readonly #folder: string;
  readonly #random: Random;
  readonly #seals: PluginFiles;

  constructor(folder: string, random: Random, seals: PluginFiles) {
    this.#folder = folder;
    this.#seals = seals;
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
    try {
      return { index: this.#inFolder(index), ...(isFile(vectors) ? { vectors: this.#inFolder(vectors) } : {}) };
    } catch {
      // The files are in the clear on a node that seals by now, or their key is gone.
      await this.drop();
      return undefined;
    }
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
      const draw = () => this.#random.bytes(FILE_KEY_BYTES);
      const keys = this.#seals.isSealing ? { index: draw(), vectors: draw() } : undefined;
      const written = await write({ fresh, keys, kept: await this.find(owner), isHasty });
      const manifest: Manifest = {
        ...owner,
        index: this.#nameOf(written.index),
        ...(written.vectors === undefined ? {} : { vectors: this.#nameOf(written.vectors) }),
      };
      used = [manifest.index.file, ...(manifest.vectors === undefined ? [] : [manifest.vectors.file])];
      const draft = join(this.#folder, `${name}${SUFFIX}`);
      await writeFile(draft, JSON.stringify(manifest), { mode: OWNER_ONLY });
      await this.#publish(draft);
    } catch (error) {
      await this.#remove((file) => file.startsWith(name));
      throw error;
    }
    await this.#remove((file) => !used.includes(file));
  }

  /** Throws for a file without a key that opens. */
  #inFolder<F extends FileExtent>({ key: sealed, ...kept }: Named<F>): F {
    const file = { ...kept, file: join(this.#folder, kept.file) } as unknown as F;
    const bytes = decodeBase64Url(sealed ?? '');
    if (!this.#seals.isSealing && sealed === undefined) return file;
    return { ...file, key: this.#seals.open(kept.file, bytes ?? new Uint8Array()) };
  }

  #nameOf<F extends FileExtent>({ key, ...kept }: F): Named<F> {
    const file = basename(kept.file);
    const sealed = key === undefined ? {} : { key: encodeBase64Url(this.#seals.seal(file, key)) };
    return { ...kept, file, ...sealed };
  }

  /** Removes all snapshots, and unfinished ones too. */
  async drop(): Promise<void> {
    await rm(join(this.#folder, MANIFEST), ANYTHING);
    try {
      await this.#remove(() => true);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  async #publish(draft: string): Promise<void> {
    const manifest = join(this.#folder, MANIFEST);
    await rename(draft, manifest).catch(async (error: NodeJS.ErrnoException) => {
      if (!FOLDER_IN_PLACE.has(error.code ?? '')) throw error;
      await rm(manifest, ANYTHING);
      await rename(draft, manifest);
    });
  }

  /** Removes files from the folder. A process that has one of them open can still read it. */
  async #remove(isUseless: (file: string) => boolean): Promise<void> {
    for (const file of await readdir(this.#folder)) {
      if (file.endsWith(SUFFIX) && isUseless(file)) await rm(join(this.#folder, file), ANYTHING);
    }
  }
}

/** The errors of a file that is renamed to the name of a folder. */
const FOLDER_IN_PLACE = new Set(['EISDIR', 'ENOTEMPTY', 'EEXIST', 'EPERM']);

/** Checks a file entry of a manifest, which may name only files of this folder. */
const isFile = <F extends { readonly file: string; readonly bytes: number }>(kept: F | null | undefined): kept is F =>
  typeof kept?.file === 'string' && kept.file === basename(kept.file) && Number.isInteger(kept.bytes);

/** The count for a store without erasures, and for manifests of older versions, which lack it. */
export const NO_ERASURES = '0';
/** The build number before the first rebuild, and for manifests of older versions, which lack it. */
export const FIRST_BUILD = '0';
