import {
  type ContentSeal,
  type FactOutline,
  type Filter,
  REDACTED_REFERENCE,
  type SealedSubject,
  type SizedOutline,
  type SqlValue,
  type StoredFact,
  type WriteRecord,
} from '../../ports/ports.ts';
import { contentIdsIn, isContentId } from './damaged-columns.ts';
import { CLEAR_FORM, type FactForm, targetOf } from './fact-form.ts';
import {
  FACT_COLUMNS,
  factFromRow,
  factToRow,
  factWithoutValue,
  NEW_FACT_COLUMNS,
  outlineFromRow,
  sizedOutlineFromRow,
} from './fact-row.ts';
import { CLEAR_MEMBERS, type EntryMembers } from './ledger-row.ts';
import { storedFilter } from './sealed-filter.ts';

export const formOf = (seal: ContentSeal | undefined): FactForm =>
  seal === undefined ? CLEAR_FORM : new SealedForm(seal);

const ID = FACT_COLUMNS.indexOf('id');
const TENANT = FACT_COLUMNS.indexOf('tenant_id');
const ENTITY_KEY = FACT_COLUMNS.indexOf('entity_key');
const SCOPE = FACT_COLUMNS.indexOf('scope');
const CID = FACT_COLUMNS.indexOf('cid');
const DERIVED_FROM = FACT_COLUMNS.indexOf('derived_from');
const VALUE = FACT_COLUMNS.indexOf('value_v');
const VALUE_KEY = FACT_COLUMNS.indexOf('value_key');
const SALT = NEW_FACT_COLUMNS.indexOf('salt');

/** The commitment of a fact without a salt, which no link of a chain has. */
const NO_COMMITMENT = new Uint8Array(32);

type Row = readonly SqlValue[];

/**
 * The form of a sealed store. The column `sealed` holds the value of every fact that is not erased, also of one without
 * a value, because its header names the key of the salt. Content ids are hidden, and everything else is as in a clear
 * store.
 */
class SealedForm implements FactForm {
  readonly seal: ContentSeal;
  readonly valueColumn = 'sealed';
  readonly valueBytes: string;
  readonly target = targetOf('sealed');
  readonly entryMembers: EntryMembers;

  constructor(seal: ContentSeal) {
    this.seal = seal;
    this.valueBytes = `octet_length(f.sealed) - ${seal.addedBytes}`;
    const header = `substr(f.sealed, 1, ${seal.headerBytes})`;
    const salt = { columns: ['f.salt', 'f.id', 'f.tenant_id', 'f.entity_key', 'f.scope', header], read: this.#salt };
    const kept = `substr(f.sealed, octet_length(f.sealed) - ${seal.commitmentBytes - 1})`;
    const place = ['f.tenant_id', 'f.entity_key', 'f.scope', 'f.id', header];
    const commitment = { columns: ['f.commitment', ...place, kept], read: this.#commitment };
    this.entryMembers = { ...CLEAR_MEMBERS, salt, commitment };
  }

  toRow(fact: StoredFact, record: WriteRecord, number: number, above?: number): SqlValue[] {
    const { seal } = this;
    const row = factToRow(fact, record, number);
    const { tenantId, derivedFrom } = fact;
    if (derivedFrom.length > 0) row[DERIVED_FROM] = JSON.stringify(this.storedCids(tenantId, derivedFrom));
    row[CID] = this.#storedCid(tenantId, fact.cid);
    const value = { text: (row[VALUE] as string | null) ?? '', commitment: record.commitment ?? NO_COMMITMENT };
    row[VALUE] = seal.sealValue(fact, fact.id, value, above);
    if (record.salt !== null) row[SALT] = seal.sealSalt(fact, fact.id, record.salt, above);
    return row;
  }

  fact(row: Row): StoredFact {
    const open = [...row];
    let damage = this.#openNames(open);
    const sealed = row[VALUE] ?? null;
    // A value that is not sealed was put there past this node.
    if (sealed === null) damage ??= row[CID] === null ? undefined : 'sealed';
    else {
      const value = this.#value(row, sealed);
      open[VALUE] = value ?? null;
      if (value === undefined) {
        // The form that the erasure has left in the store, from before which this row is.
        if (this.#isErased(row, sealed)) [open[CID], open[VALUE_KEY]] = [null, ''];
        else damage ??= 'sealed';
      }
    }
    return damaged(factFromRow(open), damage);
  }

  factUnread(row: Row): StoredFact {
    const open = [...row];
    const damage = this.#openNames(open);
    return damaged(factWithoutValue(open), damage);
  }

  outline(row: Row): FactOutline {
    const open = [...row];
    const damage = this.#openNames(open);
    return damaged(outlineFromRow(open), damage);
  }

  sizedOutline(row: Row): SizedOutline {
    const open = [...row];
    const damage = this.#openNames(open);
    return damaged(sizedOutlineFromRow(open), damage);
  }

  storedCids(tenantId: string, cids: readonly string[]): readonly string[] {
    return cids.length === 0 ? cids : cids.map((cid) => this.#storedCid(tenantId, cid));
  }

  shownCids(tenantId: string, stored: readonly string[]): readonly string[] {
    return stored.map((cid) => (cid === REDACTED_REFERENCE ? cid : this.seal.showContentId(tenantId, cid)));
  }

  storedFilter(filter: Filter, tenantId?: string): Filter {
    return storedFilter(filter, tenantId, (tenant, cid) => this.#storedCid(tenant, cid));
  }

  #storedCid(tenantId: string, cid: string): string {
    // No fact has another text as its content id.
    if (cid === REDACTED_REFERENCE || !isContentId(cid)) return cid;
    return this.seal.hideContentId(tenantId, cid);
  }

  /** Puts the content ids into a row. Returns the column that does not open. */
  #openNames(open: SqlValue[]): string | undefined {
    const { [TENANT]: tenantId, [CID]: cid, [DERIVED_FROM]: list } = open;
    let damage: string | undefined;
    if (typeof cid === 'string') {
      const shown = this.#shownOrNone(tenantId, [cid]);
      if (shown === undefined) damage = 'cid';
      open[CID] = shown?.[0] ?? null;
    }
    if (typeof list === 'string') {
      const cids = contentIdsIn(list);
      const shown = cids && this.#shownOrNone(tenantId, cids);
      // A text that is no list of content ids stays as it is. `factFromRow` then reports the column as damaged.
      if (shown !== undefined) open[DERIVED_FROM] = JSON.stringify(shown);
      else if (cids !== undefined) {
        damage ??= 'derived_from';
        open[DERIVED_FROM] = null;
      }
    }
    return damage;
  }

  #shownOrNone(tenantId: SqlValue | undefined, stored: readonly string[]): readonly string[] | undefined {
    try {
      return this.shownCids(tenantId as string, stored);
    } catch {
      return undefined;
    }
  }

  #value(row: Row, sealed: SqlValue): string | undefined {
    try {
      return this.seal.openValue(subjectOf(row), row[ID] as string, sealed as Uint8Array);
    } catch {
      return undefined;
    }
  }

  /** Returns whether the key of the value was destroyed. A header that somebody changed is no erasure. */
  #isErased(row: Row, sealed: SqlValue): boolean {
    if (!(sealed instanceof Uint8Array)) return false;
    const { headerBytes, commitmentBytes } = this.seal;
    const header = sealed.subarray(0, headerBytes);
    return (
      this.#erasedCommitment(subjectOf(row), row[ID] as string, header, sealed.subarray(-commitmentBytes)) !== null
    );
  }

  #erasedCommitment(subject: SealedSubject, id: string, header: Uint8Array, kept: Uint8Array): Uint8Array | null {
    try {
      return this.seal.isDestroyed(subject, header) ? this.seal.openCommitment(subject, id, header, kept) : null;
    } catch {
      return null;
    }
  }

  /** Reads the commitment of an erased fact, also in a copy of the store from before the erasure. */
  readonly #commitment = (row: Row, at: number): Uint8Array | null => {
    const [commitment, tenantId, entityKey, scope, id, header, kept] = row.slice(at, at + 7);
    if (commitment instanceof Uint8Array) return commitment;
    if (!(header instanceof Uint8Array) || !(kept instanceof Uint8Array)) return null;
    const subject = { tenantId, entityKey, scope } as unknown as SealedSubject;
    return this.#erasedCommitment(subject, id as string, header, kept);
  };

  /** Reads a salt. One that does not open is absent, so that the link of its fact does not verify. */
  readonly #salt = (row: Row, at: number): Uint8Array | null => {
    const [salt, id, tenantId, entityKey, scope, header] = row.slice(at, at + 6);
    if (!(salt instanceof Uint8Array) || !(header instanceof Uint8Array)) return null;
    try {
      return this.seal.openSalt({ tenantId, entityKey, scope } as unknown as SealedSubject, id as string, salt, header);
    } catch {
      return null;
    }
  };
}

const subjectOf = (row: Row): SealedSubject =>
  ({ tenantId: row[TENANT], entityKey: row[ENTITY_KEY], scope: row[SCOPE] }) as SealedSubject;

const damaged = <F extends FactOutline | StoredFact>(fact: F, damage: string | undefined): F =>
  damage === undefined ? fact : { ...fact, damage };
