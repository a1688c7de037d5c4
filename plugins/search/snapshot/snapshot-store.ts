import type { NodeNotes } from '../../../kernel/plugin-api.ts';
import type { IndexHost } from '../host/index-host.ts';
import type { SnapshotExtents } from './snapshot-extents.ts';
import { FIRST_BUILD, NO_ERASURES, type SnapshotFiles, type SnapshotOwner } from './snapshot-files.ts';

/** The note that counts erasures. */
const ERASURES = 'search erasures';
/** The note that counts how often an operator has asked for the index to be built anew. */
const BUILDS = 'search builds';

/**
 * Snapshots that hold nothing of erased facts: erasures are counted in the store, and an index that was opened before
 * the last one is never written.
 */
export class SnapshotStore {
  readonly #files: SnapshotFiles;
  readonly #notes: NodeNotes;
  /** The snapshot that is being written. Never rejects. */
  #saving: Promise<void> = Promise.resolve();

  constructor(files: SnapshotFiles, notes: NodeNotes) {
    this.#files = files;
    this.#notes = notes;
  }

  /** How many erasures there were: to be read before the index reads any fact. */
  async erasures(): Promise<string> {
    return (await this.#notes.read(ERASURES)) ?? NO_ERASURES;
  }

  /** The build of the index that is wanted: a snapshot of another one is not used. */
  async wantedBuild(): Promise<string> {
    return (await this.#notes.read(BUILDS)) ?? FIRST_BUILD;
  }

  /** Asks all processes for another build of the index, and returns it. */
  wantAnother(): Promise<string> {
    return this.#notes.change(BUILDS, (before = FIRST_BUILD) => String(Number(before) + 1));
  }

  find(owner: SnapshotOwner): Promise<SnapshotExtents | undefined> {
    return this.#files.find(owner);
  }

  /** One at a time. Writes nothing for an index that may have words of facts that were erased since. */
  save(owner: SnapshotOwner, write: IndexHost['write'], options: { readonly isHasty?: boolean } = {}): Promise<void> {
    const saving = this.#saving.then(async () => {
      if (owner.erasures !== (await this.erasures())) return;
      await this.#files.save(owner, write, options);
      // An erasure of another process, which removed what it found, may have overtaken it.
      if (owner.erasures !== (await this.erasures())) await this.#files.drop();
    });
    this.#saving = saving.catch(() => {});
    return saving;
  }

  /** Facts were erased: removes what snapshots hold of them. */
  async erased(): Promise<void> {
    await this.#notes.change(ERASURES, (before = NO_ERASURES) => String(Number(before) + 1));
    await this.#saving;
    await this.#files.drop();
  }
}
