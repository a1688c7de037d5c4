import type { PluginTables } from '../../kernel/plugin-api.ts';
import { MEMBERS } from './gardens-migrations.ts';

/** Signalled when members are added to gardens. */
export const MEMBERS_ADDED = 'members-added';

/**
 * Tells if the store has any garden members, so that a node without gardens saves a look-up at every read. Before a
 * process learns of the very first member, it briefly hides that member's gardens: the safe side.
 */
export class MemberPresence {
  readonly #tables: PluginTables;
  #none = false;
  /** Grows with each signal, so that an earlier look-up does not count. */
  #heard = 0;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  /** True only if there surely were no members. */
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
