import {
  type Clock,
  coalesce,
  type Logger,
  matchKey,
  type NodeSelf,
  type PluginTables,
  SUPPRESSION_CHANGED,
} from '../../../kernel/plugin-api.ts';
import type { NodeIdentity } from '../../node-info/node-info-api.ts';
import { appendLine, isOurs, readSigned } from '../erasure/erasure-journal.ts';
import type { Tombstone, TombstoneRevocation } from '../tombstones-api.ts';
import { revocationBytes, signedRevocation, tombstoneBytes, withoutReason } from './marker-document.ts';
import { insertTombstone, ownTombstones, revocationsOf, tombstoneById } from './marker-store.ts';

export interface TombstoneJournalParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly self: NodeSelf;
  readonly identity: NodeIdentity;
  readonly log: Logger;
  /** A file beside the store. */
  readonly file: string;
}

/**
 * One line: a tombstone of this node, or the revocation of one. Each of them is signed, and has no reason, because a
 * store may be sealed later, and then the file must hold nothing that somebody said.
 */
interface Line {
  readonly tombstone?: Tombstone;
  readonly revocation?: TombstoneRevocation & { readonly tenantId: string };
}

/** The tombstones of this node in a file beside the store. So an older state of the store hides what they hide. */
export class TombstoneJournal {
  readonly #parts: TombstoneJournalParts;
  /** The names of changes whose lines are in the file, or wait for it. */
  readonly #noted = new Set<string>();
  /** Lines of committed changes that the file lacks. */
  readonly #unwritten = new Set<Line>();
  /** Writes the lines that could not be written yet. Never rejects. */
  readonly settle = coalesce(() => this.#writeAll());

  constructor(parts: TombstoneJournalParts) {
    this.#parts = parts;
  }

  /** Writes a committed tombstone down, once. Never rejects: `settle` makes up for a failure. */
  noteTombstone(tombstone: Tombstone): Promise<void> {
    return this.#note(nameOf(tombstone.tenantId, tombstone.id), () => ({
      tombstone: withoutReason(tombstone, this.#parts.identity),
    }));
  }

  /** Writes a committed revocation down, once. Never rejects. */
  noteRevocation(tenantId: string, revocation: TombstoneRevocation): Promise<void> {
    return this.#note(revokedName(nameOf(tenantId, revocation.tombstoneId)), () => ({
      revocation: { ...signedRevocation({ ...revocation, reason: '' }, this.#parts.identity), tenantId },
    }));
  }

  /**
   * Hides what an older state of the store shows again, and writes down what a crash has kept out of the file. Must run
   * before the node accepts requests, and after erasures are repeated.
   */
  async restore(): Promise<void> {
    const { tables, self, log } = this.#parts;
    const noted = await this.#read();
    for (const [name, { tombstone, isRevoked }] of noted) {
      if (tombstone !== undefined) this.#noted.add(name);
      if (isRevoked) this.#noted.add(revokedName(name));
      if (tombstone === undefined || isRevoked || !(await this.#repeat(tombstone))) continue;
      log.warn('a tombstone was not in the store any more, as after a restore; it hides its facts again', {
        tombstoneId: tombstone.id,
      });
    }
    for (const tombstone of await tables.read((own) => ownTombstones(own, self.nodeId))) {
      const known = noted.get(nameOf(tombstone.tenantId, tombstone.id));
      if (known?.tombstone === undefined && tombstone.erasedMs === null) await this.noteTombstone(tombstone);
      if (tombstone.revokedMs === null || known?.isRevoked === true) continue;
      const { tenantId, id } = tombstone;
      const revocations = await tables.read((own) => revocationsOf(own, tenantId, [id]));
      for (const revocation of revocations) await this.noteRevocation(tenantId, revocation);
    }
  }

  async #read(): Promise<ReadonlyMap<string, { readonly tombstone?: Tombstone; readonly isRevoked: boolean }>> {
    const { file, identity, log } = this.#parts;
    const noted = new Map<string, { readonly tombstone?: Tombstone; readonly isRevoked: boolean }>();
    for await (const { tombstone, revocation } of readSigned<Line>(file, (line) => isSigned(line, identity), log)) {
      if (tombstone !== undefined) {
        const name = nameOf(tombstone.tenantId, tombstone.id);
        noted.set(name, { isRevoked: false, ...noted.get(name), tombstone });
      }
      if (revocation !== undefined) {
        const name = nameOf(revocation.tenantId, revocation.tombstoneId);
        noted.set(name, { ...noted.get(name), isRevoked: true });
      }
    }
    return noted;
  }

  /** Returns true if the tombstone was not in the store. */
  async #repeat(tombstone: Tombstone): Promise<boolean> {
    const { tables, clock, self } = this.#parts;
    const entityKey = matchKey(tombstone.entityUri, self.names);
    const isHidden = await tables.writeUnlessErased(tombstone.tenantId, async (own, transaction) => {
      if ((await tombstoneById(own, tombstone)) !== undefined) return false;
      const feed = await transaction.announce(SUPPRESSION_CHANGED, [tombstone.id], clock.nowMs());
      await insertTombstone(own, { ...tombstone, entityKey, revokedMs: null, erasedMs: null }, { feed });
      return true;
    });
    return isHidden ?? false;
  }

  #note(name: string, lineOf: () => Line): Promise<void> {
    if (!this.#noted.has(name)) this.#unwritten.add(lineOf());
    this.#noted.add(name);
    return this.settle();
  }

  async #writeAll(): Promise<void> {
    const { file, log } = this.#parts;
    try {
      for (const line of this.#unwritten) {
        await appendLine(file, line);
        this.#unwritten.delete(line);
      }
    } catch (error) {
      log.warn('a tombstone or its revocation could not be written beside the store; it will be tried again', {
        error,
      });
    }
  }
}

const nameOf = (tenantId: string, tombstoneId: string): string => `${tenantId} ${tombstoneId}`;
const revokedName = (name: string): string => `${name} revoked`;

const isSigned = ({ tombstone, revocation }: Line, identity: NodeIdentity): boolean => {
  try {
    if (revocation !== undefined) return isOurs(revocationBytes(revocation), revocation.signature, identity);
    return tombstone !== undefined && isOurs(tombstoneBytes(tombstone), tombstone.signature, identity);
  } catch {
    return false;
  }
};
