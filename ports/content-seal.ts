import { defineRef } from './define-ref.ts';
import type { TripleKey } from './fact.ts';

/** The beginning of each text of `sealText`. */
export const SEALED_TEXT = 'sealed:1:';

/** The facts whose contents share a key, which their erasure destroys. */
export type SealedSubject = Pick<TripleKey, 'tenantId' | 'entityKey' | 'scope'>;

/** The facts of a tenant with whose key a text is sealed, so that their erasure destroys it. */
export type TextOwner = Pick<SealedSubject, 'entityKey' | 'scope'>;

/** A place in the store. Sealed content opens only in its own place. */
export interface SealedPlace {
  readonly tenantId: string;
  readonly table: string;
  readonly column: string;
  /** The key of the row; an empty text for content that may move between rows. */
  readonly row: string;
  /** Absent for a text with a key of the tenant. Opening ignores it, because a sealed text names its key. */
  readonly owner?: TextOwner | undefined;
  /**
   * The number of a period, with whose key of the table a text without an owner is sealed. Opening ignores it. Absent
   * for a text with a key that lives as long as its tenant.
   */
  readonly period?: number | undefined;
}

/** Where sealed bytes are: a file of the node, such as a snapshot of an index, or a column of a tenant's rows. */
export interface BytesPlace {
  /** The tenant whose removal destroys the key; null for bytes of the node. */
  readonly tenantId: string | null;
  /** The name of the file or of the column. */
  readonly name: string;
  /** As in `SealedPlace`. */
  readonly owner?: TextOwner | undefined;
}

/** The contents of a fact that its row holds sealed. */
export interface ValueToSeal {
  readonly text: string;
  /** The commitment to the value: see `WriteRecord.commitment`. */
  readonly commitment: Uint8Array;
}

/** A key of a subject that is to be destroyed. */
export interface DoomedKey extends SealedSubject {
  /** The generation of the key: see `ContentSeal.generationOf`. */
  readonly generation: number;
  /** Whether no fact of the subject is left, so that the key of its digests goes as well. */
  readonly isWhole: boolean;
}

/** Which keys a store destroys once no row needs them. */
export interface EndedPeriods {
  /** Tables with a column `period`, whose rows are sealed with keys of periods. */
  readonly tables: readonly string[];
  /** How long a period lasts at least. */
  readonly everyMs: number;
}

/**
 * Seals the contents of facts before a store writes them, and opens them after it has read them. The keys are outside
 * the store. Only `refresh` and `destroy` leave the memory. Methods that open content throw `unavailable` when the
 * present keys do not open it: it was changed, is from another place, or its key was destroyed.
 */
export interface ContentSeal {
  /** The version of the keys, which grows whenever one is destroyed. Digests that were made before may not count. */
  readonly version: number;
  /** The number of the present period. It never falls, and grows only with the version. */
  readonly period: number;
  /** The bytes that sealing adds to the UTF-8 text of a value. */
  readonly addedBytes: number;
  /** The first bytes of a sealed value, which name its key. They are enough for `generationIn` and `openSalt`. */
  readonly headerBytes: number;
  /** The last bytes of a sealed value, which hold the commitment of its fact. */
  readonly commitmentBytes: number;
  /** Reads the keys anew if they are older than `version`. Rejects with `unavailable` if they still are. */
  refresh(version: number): Promise<void>;

  /**
   * Seals the text of a value, with the key of new facts, or with the first one of a generation above `above`. The same
   * text gives other bytes each time. The 32 bytes of the commitment are sealed with a key of the tenant, which lives
   * on when an erasure destroys the one of the value.
   */
  sealValue(subject: SealedSubject, factId: string, value: ValueToSeal, above?: number): Uint8Array;
  openValue(subject: SealedSubject, factId: string, sealed: Uint8Array): string;
  /**
   * Seals the 16 random bytes of a fact's salt, in as many bytes, with the key with which `sealValue` seals the value.
   * A fact has one salt, so this is called with no other one for the same fact.
   */
  sealSalt(subject: SealedSubject, factId: string, salt: Uint8Array, above?: number): Uint8Array;
  /** Opens a salt with the key that the header of the fact's sealed value names. */
  openSalt(subject: SealedSubject, factId: string, salt: Uint8Array, header: Uint8Array): Uint8Array;
  /** Returns whether an erasure has destroyed the key that this header names. False for any other unknown key. */
  isDestroyed(subject: SealedSubject, header: Uint8Array): boolean;
  /** Opens the commitment in the last bytes of a sealed value with this header. */
  openCommitment(subject: SealedSubject, factId: string, header: Uint8Array, sealed: Uint8Array): Uint8Array;
  /** Returns which key of a subject seals new facts: 0, and one more after each destruction. */
  generationOf(subject: SealedSubject): number;
  /** Returns the generation that the header of a sealed value names. */
  generationIn(header: Uint8Array): number;
  /** Returns a digest (24 characters) that is equal for equal value keys of one subject. */
  digestOf(subject: SealedSubject, valueKey: string): string;
  /** Returns a text of the form of a content id (`sha256:` and 64 digits), one for each tenant and content id. */
  hideContentId(tenantId: string, cid: string): string;
  showContentId(tenantId: string, hidden: string): string;

  /** Seals a text of a plugin. The same text gives other texts each time. */
  sealText(place: SealedPlace, text: string): string;
  /** Opens a text of `sealText`, and returns any other text unchanged: it is from before the store was sealed. */
  openText(place: SealedPlace, text: string): string;
  /** Seals a text of a column that is looked up by equality: the same text gives the same one in each row. */
  hideText(place: Omit<SealedPlace, 'row' | 'owner' | 'period'>, text: string): string;
  /** Opens a text of `hideText`, and returns any other text unchanged. */
  showText(place: Omit<SealedPlace, 'row' | 'owner' | 'period'>, hidden: string): string;
  /** Seals bytes, which open only in their own place. The same bytes give other ones each time. */
  sealBytes(place: BytesPlace, bytes: Uint8Array): Uint8Array;
  openBytes(place: BytesPlace, sealed: Uint8Array): Uint8Array;

  /**
   * Destroys keys, and raises the version. Durable when it resolves. Idempotent by the generation. Callers hold a lock
   * that excludes other processes.
   */
  destroy(keys: readonly DoomedKey[]): Promise<void>;
  /** Returns the first period whose key of a table is left. The keys of all later ones are left too. */
  firstPeriod(table: string): number;
  /**
   * Begins the next period, and destroys the keys of each table for all periods before the given one, like `destroy`.
   * Only reads the keys anew where they are newer than `version`, because another process has changed them.
   */
  endPeriods(firsts: ReadonlyMap<string, number>, version: number): Promise<void>;
  /** Destroys all keys of a removed tenant, like `destroy`. */
  destroyTenant(tenantId: string): Promise<void>;
  /**
   * Puts the present keys in the place of their copies elsewhere, such as those beside backups, so that no copy has a
   * destroyed key. May take long, so callers hold no lock. Returns sentences about copies that it could not replace.
   */
  replaceCopies(): Promise<readonly string[]>;
}

export const ContentSeal = defineRef<ContentSeal>('port.content-seal');
