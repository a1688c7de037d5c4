import type { NodeNotes } from '../../../kernel/plugin-api.ts';
import type { IndexHost } from '../host/index-host.ts';
import type { SnapshotExtents } from './snapshot-extents.ts';
import { FIRST_BUILD, NO_ERASURES, type SnapshotFiles, type SnapshotOwner } from './snapshot-files.ts';

/** The name of the note in the store that counts erasures. */
const ERASURES = 'search erasures';
/** The name of the note in the store that counts requested rebuilds of the index. */
const BUILDS = 'search builds';

/**
 * Keeps words of erased facts out of snapshots. The store counts erasures, and an index opened before the last one is
 * never written.
 */
export class SnapshotStore {
  readonly #files: SnapshotFiles;
  readonly #notes: NodeNotes;
  /** The write in progress. Never rejects. */
  #saving: Promise<void> = Promise.resolve();

  constructor(files: SnapshotFiles, notes: NodeNotes) {
    this.#files = files;
    this.#notes = notes;
  }

  /** Returns the number of erasures. Read it before the index reads any fact. */
  async erasures(): Promise<string> {
    return (await this.#notes.read(ERASURES)) ?? NO_ERASURES;
  }

  /** Returns the requested build number of the index; snapshots of other builds are not used. */
  async wantedBuild(): Promise<string> {
    return (await this.#notes.read(BUILDS)) ?? FIRST_BUILD;
  }

  /** Requests a rebuild of the index from all processes, and returns its build number. */
  wantAnother(): Promise<string> {
    return this.#notes.change(BUILDS, (before = FIRST_BUILD) => String(Number(before) + 1));
  }

  find(owner: SnapshotOwner): Promise<SnapshotExtents | undefined> {
    return this.#files.find(owner);
  }

  /** Writes one snapshot at a time. Skips an index that may hold words of facts erased since. */
  save(owner: SnapshotOwner, write: IndexHost['write'], options: { readonly isHasty?: boolean } = {}): Promise<void> {
    const saving = this.#saving.then(async () => {
      if (owner.erasures !== (await this.erasures())) return;
      await this.#files.save(owner, write, options);
      // An erasure in another process may have removed older snapshots during this write.
      if (owner.erasures !== (await this.erasures())) await this.#files.drop();
    });
    this.#saving = saving.catch(() => {});
    return saving;
  }

  /** Called after an erasure: removes the snapshots, which may hold erased facts. */
  async erased(): Promise<void> {
    await this.#notes.change(ERASURES, (before = NO_ERASURES) => String(Number(before) + 1));
    await this.#saving;
    await this.#files.drop();
  }
}
