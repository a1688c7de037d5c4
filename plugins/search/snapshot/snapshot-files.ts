import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../../kernel/plugin-api.ts';
import type { IndexHost } from '../host/index-host.ts';

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
    return {
      index: join(this.#folder, String(index)),
      ...(vectors == null ? {} : { vectors: { ...vectors, file: join(this.#folder, String(vectors.file)) } }),
    };
  }

  /** Puts the snapshot that `write` writes in place of the one before. */
  async save(owner: SnapshotOwner, write: IndexHost['write']): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const name = this.#random.uuid();
    const files = { index: `${name}-index${SUFFIX}`, vectors: `${name}-vectors${SUFFIX}` };
    try {
      const vectors = await write({
        index: join(this.#folder, files.index),
        vectors: join(this.#folder, files.vectors),
      });
      const manifest: Manifest = {
        ...owner,
        index: files.index,
        ...(vectors === undefined ? {} : { vectors: { file: files.vectors, ...vectors } }),
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

  /** A reader that has one of them open keeps it. */
  async #remove(isUseless: (file: string) => boolean): Promise<void> {
    for (const file of await readdir(this.#folder)) {
      if (file.endsWith(SUFFIX) && isUseless(file)) await rm(join(this.#folder, file), { force: true });
    }
  }
}

/** Paths of what a snapshot is made of. */
export interface FoundSnapshot {
  readonly index: string;
  readonly vectors?: { readonly embedder: string; readonly seq: number; readonly file: string };
}

export const readChunks = (file: string): AsyncIterable<Uint8Array> =>
  createReadStream(file, { highWaterMark: READ_BYTES });

/** In a store without erasures; manifests of older versions do not say it. */
export const NO_ERASURES = '0';
/** Before an operator has asked for another build; manifests of older versions do not say it. */
export const FIRST_BUILD = '0';

/** A snapshot holds what everybody said. */
const OWNER_ONLY = 0o600;
const READ_BYTES = 1024 * 1024;
