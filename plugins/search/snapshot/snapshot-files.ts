import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../../kernel/plugin-api.ts';

/** What a snapshot belongs to: one of another store, or of that store before it was put back, is worth nothing. */
export interface SnapshotOwner {
  readonly nodeId: string;
  readonly epoch: string;
  /** How many erasures there were: a snapshot from before holds words of erased facts. */
  readonly erasures: string;
  /** Which build of the index it is: an operator may have asked for another one. */
  readonly build: string;
}

/** What lies in the folder: names of files, and what is in them. */
interface Manifest extends SnapshotOwner {
  readonly index: string;
  readonly vectors?: { readonly file: string; readonly embedder: string; readonly seq: number };
}

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
  async find(owner: SnapshotOwner): Promise<FoundSnapshot | undefined> {
    let manifest: Manifest | null;
    try {
      manifest = JSON.parse(await readFile(join(this.#folder, MANIFEST), 'utf8')) as Manifest | null;
    } catch {
      return undefined;
    }
    // Whatever the file holds: what does not name its owner is nobody's.
    if (manifest?.nodeId !== owner.nodeId || manifest.epoch !== owner.epoch) return undefined;
    if ((manifest.erasures ?? NO_ERASURES) !== owner.erasures) {
      await this.drop();
      return undefined;
    }
    if ((manifest.build ?? FIRST_BUILD) !== owner.build) return undefined;
    const { index, vectors } = manifest;
    const stream = (file: string): AsyncIterable<Uint8Array> =>
      createReadStream(join(this.#folder, file), { highWaterMark: READ_BYTES });
    return {
      index: () => stream(index),
      ...(vectors == null ? {} : { vectors: { ...vectors, chunks: () => stream(vectors.file) } }),
    };
  }

  /** Writes a snapshot and puts it in place of the one before. */
  async save(
    owner: SnapshotOwner,
    index: Iterable<Uint8Array>,
    vectors: { readonly embedder: string; readonly seq: number; readonly chunks: Iterable<Uint8Array> } | undefined,
  ): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const name = this.#random.uuid();
    const files = { index: `${name}-index${SUFFIX}`, vectors: `${name}-vectors${SUFFIX}` };
    try {
      // Vectors first: the index, which is younger, then has every fact that one of them belongs to.
      if (vectors !== undefined) await this.#write(files.vectors, vectors.chunks);
      await this.#write(files.index, index);
      const manifest: Manifest = {
        ...owner,
        index: files.index,
        ...(vectors === undefined
          ? {}
          : { vectors: { file: files.vectors, embedder: vectors.embedder, seq: vectors.seq } }),
      };
      const draft = join(this.#folder, `${name}${SUFFIX}`);
      await writeFile(draft, JSON.stringify(manifest), { mode: OWNER_ONLY });
      await rename(draft, join(this.#folder, MANIFEST));
    } catch (error) {
      await this.#remove((file) => file.startsWith(name));
      throw error;
    }
    await this.#remove((file) => !file.startsWith(name));
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

  async #write(file: string, chunks: Iterable<Uint8Array>): Promise<void> {
    const handle = await open(join(this.#folder, file), 'w', OWNER_ONLY);
    try {
      for (const chunk of chunks) await handle.write(chunk);
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  /** A reader that has one of them open keeps it. */
  async #remove(isUseless: (file: string) => boolean): Promise<void> {
    for (const file of await readdir(this.#folder)) {
      if (file.endsWith(SUFFIX) && isUseless(file)) await rm(join(this.#folder, file), { force: true });
    }
  }
}

export interface FoundSnapshot {
  index(): AsyncIterable<Uint8Array>;
  readonly vectors?: { readonly embedder: string; readonly seq: number; chunks(): AsyncIterable<Uint8Array> };
}

/** In a store without erasures; manifests of older versions do not say it. */
export const NO_ERASURES = '0';
/** Before an operator has asked for another build; manifests of older versions do not say it. */
export const FIRST_BUILD = '0';

/** A snapshot holds what everybody said. */
const OWNER_ONLY = 0o600;
const READ_BYTES = 1024 * 1024;
