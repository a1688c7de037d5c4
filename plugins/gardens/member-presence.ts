import type { PluginTables } from '../../kernel/plugin-api.ts';
import { MEMBERS } from './gardens-migrations.ts';

/** Raised with everything that makes members of gardens. */
export const MEMBERS_ADDED = 'members-added';

/**
 * Whether a store has members of gardens at all: a node without gardens saves a look-up at every read, which costs an
 * answer of the database. To be wrong for a moment is to hide: until a process has heard of the first member ever,
 * facts of gardens stay hidden from members there.
 */
export class MemberPresence {
  readonly #tables: PluginTables;
  #none = false;
  /** Grows with each news, so that a look from before it does not count. */
  #heard = 0;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  /** True when it is sure that there was nobody. */
  get none(): boolean {
    return this.#none;
  }

  heard(): void {
    this.#heard += 1;
    this.#none = false;
  }

  async look(): Promise<void> {
    const before = this.#heard;
    const row = await this.#tables.read((own) => own(MEMBERS).first('garden_id'));
    if (row === undefined && before === this.#heard) this.#none = true;
  }
}
