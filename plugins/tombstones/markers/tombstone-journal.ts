import {
  type Clock,
  coalesce,
  type Logger,
  matchKey,
  type NodeSelf,
  type PluginTables,
  parseInstant,
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

/** How long after a change its request is repeated at the latest. */
const REPEATED_WITHIN_MS = 86_400_000;

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
  /** The recent changes whose lines are in the file, or wait for it: their names, and when they were made. */
  readonly #noted = new Map<string, number>();
  /** Lines of committed changes that the file lacks. */
  readonly #unwritten = new Set<Line>();
  /** Writes the lines that could not be written yet. Never rejects. */
  readonly settle = coalesce(() => this.#writeAll());

  constructor(parts: TombstoneJournalParts) {
    this.#parts = parts;
  }

  /**
   * Writes a tombstone down once, after its commit. Leaves one that is older than a day to `restore`, because its
   * request is repeated no more. Never rejects: `settle` makes up for a failure.
   */
  noteTombstone(tombstone: Tombstone): Promise<void> {
    if (this.#isMissing(tombstone)) this.#addTombstone(tombstone);
    return this.settle();
  }

  /** Does the same for a revocation. */
  noteRevocation(tenantId: string, revocation: TombstoneRevocation): Promise<void> {
    if (this.#isMissing(ofRevocation(tenantId, revocation))) this.#addRevocation(tenantId, revocation);
    return this.settle();
  }

  /**
   * Hides what an older state of the store shows again, and writes down what a crash has kept out of the file. Must run
   * before the node accepts requests, and after erasures are repeated.
   */
  async restore(): Promise<void> {
    const { tables, self, log } = this.#parts;
    const noted = await this.#read();
    for (const { tombstone, revocation } of noted.values()) {
      if (tombstone !== undefined) this.#remember(tombstone);
      if (revocation !== undefined) this.#remember(ofRevocation(revocation.tenantId, revocation));
      if (tombstone === undefined || revocation !== undefined || !(await this.#repeat(tombstone))) continue;
      log.warn('a tombstone was not in the store any more, as after a restore; it hides its facts again', {
        tombstoneId: tombstone.id,
      });
    }
    for (const tombstone of await tables.read((own) => ownTombstones(own, self.nodeId))) {
      const { tenantId, id } = tombstone;
      const known = noted.get(nameOf(tenantId, id));
      if (known?.tombstone === undefined && tombstone.erasedMs === null) this.#addTombstone(tombstone);
      if (tombstone.revokedMs === null || known?.revocation !== undefined) continue;
      const revocations = await tables.read((own) => revocationsOf(own, tenantId, [id]));
      for (const revocation of revocations) this.#addRevocation(tenantId, revocation);
    }
    await this.settle();
  }

  async #read(): Promise<ReadonlyMap<string, Line>> {
    const { file, identity, log } = this.#parts;
    const noted = new Map<string, Line>();
    for await (const line of readSigned<Line>(file, (one) => isSigned(one, identity), log)) {
      const { tombstone, revocation } = line;
      if (tombstone !== undefined) {
        const name = nameOf(tombstone.tenantId, tombstone.id);
        noted.set(name, { ...noted.get(name), tombstone });
      }
      if (revocation !== undefined) {
        const name = nameOf(revocation.tenantId, revocation.tombstoneId);
        noted.set(name, { ...noted.get(name), revocation });
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

  #addTombstone(tombstone: Tombstone): void {
    this.#remember(tombstone);
    this.#unwritten.add({ tombstone: withoutReason(tombstone, this.#parts.identity) });
  }

  #addRevocation(tenantId: string, revocation: TombstoneRevocation): void {
    this.#remember(ofRevocation(tenantId, revocation));
    const bare = signedRevocation({ ...revocation, reason: '' }, this.#parts.identity);
    this.#unwritten.add({ revocation: { ...bare, tenantId } });
  }

  #isMissing(change: Change): boolean {
    return this.#isRecent(change.createdMs) && !this.#noted.has(nameOf(change.tenantId, change.id));
  }

  #remember({ tenantId, id, createdMs }: Change): void {
    if (this.#isRecent(createdMs)) this.#noted.set(nameOf(tenantId, id), createdMs);
  }

  #isRecent(createdMs: number): boolean {
    return createdMs > this.#parts.clock.nowMs() - REPEATED_WITHIN_MS;
  }

  async #writeAll(): Promise<void> {
    const { file, log } = this.#parts;
    for (const [name, createdMs] of this.#noted) if (!this.#isRecent(createdMs)) this.#noted.delete(name);
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

/** A tombstone, or a revocation with its own id. */
type Change = Pick<Tombstone, 'tenantId' | 'id' | 'createdMs'>;

const ofRevocation = (tenantId: string, { id, createdAt }: TombstoneRevocation): Change => ({
  tenantId,
  id,
  createdMs: parseInstant(createdAt) ?? 0,
});

const nameOf = (tenantId: string, id: string): string => `${tenantId} ${id}`;

const isSigned = ({ tombstone, revocation }: Line, identity: NodeIdentity): boolean => {
  try {
    if (revocation !== undefined) return isOurs(revocationBytes(revocation), revocation.signature, identity);
    return tombstone !== undefined && isOurs(tombstoneBytes(tombstone), tombstone.signature, identity);
  } catch {
    return false;
  }
};
