import type { PluginTables } from '../../kernel/plugin-api.ts';
import { MEMBERS } from './gardens-migrations.ts';

/** The signal sent when members are added to gardens. */
export const MEMBERS_ADDED = 'members-added';

/**
 * Caches whether the store has any garden members, so that reads of a node without gardens need no look-up. Until a
 * process learns of the very first member, it briefly hides that member's gardens, which is the safe error.
 */
export class MemberPresence {
  readonly #tables: PluginTables;
  #none = false;
  /** The number of received signals. If it changes during a look-up, the result is outdated and ignored. */
  #heard = 0;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  /** True if the store certainly has no members. */
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
