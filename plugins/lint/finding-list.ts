import { CHECKS, type Check, type Finding } from './lint-api.ts';

/** A finding with the additional data of the list. */
export interface KeptFinding extends Finding {
  /** A fact that the reader of an orphan must see, because an orphan names no facts itself. */
  readonly witness?: string;
}

/** Plain JSON, for checkpoints. */
export interface FindingListState {
  readonly ordered: Readonly<Record<string, readonly KeptFinding[]>>;
  readonly group: Readonly<Record<string, readonly KeptFinding[]>>;
  readonly isTruncated: boolean;
}

/**
 * Keeps the first findings in order, within a byte limit. Findings arrive by entity and relation. Within one relation
 * their order is arbitrary and their checks are mixed, so they are sorted when the next relation begins.
 */
export class FindingList {
  readonly #maxBytes: number;
  readonly #ordered: Record<string, KeptFinding[]> = {};
  readonly #bytes: Record<string, number> = {};
  #group: Record<string, KeptFinding[]> = {};
  #groupBytes: Record<string, number> = {};
  #isTruncated = false;

  constructor(maxBytes: number, state?: FindingListState) {
    this.#maxBytes = maxBytes;
    for (const check of CHECKS) {
      this.#ordered[check] = [...(state?.ordered[check] ?? [])];
      this.#bytes[check] = sizeOf(this.#ordered[check]);
    }
    for (const [check, findings] of Object.entries(state?.group ?? {})) {
      this.#group[check] = [...findings];
      this.#groupBytes[check] = sizeOf(findings);
    }
    this.#isTruncated = state?.isTruncated ?? false;
  }

  /** Adds a finding about the present entity and relation. */
  add(finding: KeptFinding): void {
    const { check } = finding;
    const group = this.#group[check] ?? [];
    this.#group[check] = group;
    group.push(finding);
    const bytes = (this.#groupBytes[check] ?? 0) + bytesOf(finding);
    this.#groupBytes[check] = bytes;
    // Drops some findings of a relation with very many, because the list has no room for them.
    if (bytes > 2 * this.#maxBytes) this.#shorten(check, group);
  }

  /** Adds a finding that is already the next one of its check. */
  append(finding: KeptFinding): void {
    const { check } = finding;
    this.#ordered[check]?.push(...this.#within(check, [finding]));
    this.#bytes[check] = (this.#bytes[check] ?? 0) + bytesOf(finding);
  }

  /** Call it when another entity or relation begins. */
  endGroup(): void {
    const checks = Object.keys(this.#group);
    if (checks.length === 0) return;
    for (const check of checks) {
      const group = (this.#group[check] ?? []).sort(byFirstFact);
      this.#ordered[check]?.push(...this.#within(check as Check, group));
      this.#bytes[check] = (this.#bytes[check] ?? 0) + sizeOf(group);
    }
    this.#group = {};
    this.#groupBytes = {};
    this.#dropBeyond();
  }

  get findings(): readonly KeptFinding[] {
    return CHECKS.flatMap((check) => this.#ordered[check] ?? []);
  }

  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** Approximate size of the findings as JSON. */
  get bytes(): number {
    const all = [...Object.values(this.#bytes), ...Object.values(this.#groupBytes)];
    return all.reduce((sum, bytes) => sum + bytes, 0);
  }

  get state(): FindingListState {
    return { ordered: this.#ordered, group: this.#group, isTruncated: this.#isTruncated };
  }

  #within(check: Check, group: readonly KeptFinding[]): readonly KeptFinding[] {
    if ((this.#bytes[check] ?? 0) <= this.#maxBytes) return group;
    this.#isTruncated = true;
    return [];
  }

  /** Drops findings of later checks if those of earlier checks fill the list. */
  #dropBeyond(): void {
    let bytes = 0;
    for (const check of CHECKS) {
      const own = this.#ordered[check] ?? [];
      if (bytes > this.#maxBytes && own.length > 0) {
        own.length = 0;
        this.#isTruncated = true;
      }
      bytes += this.#bytes[check] ?? 0;
    }
  }

  #shorten(check: string, group: KeptFinding[]): void {
    group.sort(byFirstFact);
    let bytes = 0;
    let kept = 0;
    while (kept < group.length && bytes <= this.#maxBytes) {
      bytes += bytesOf(group[kept] as KeptFinding);
      kept += 1;
    }
    group.length = kept;
    this.#groupBytes[check] = bytes;
    this.#isTruncated = true;
  }
}

const byFirstFact = (one: Finding, other: Finding): number => {
  const [a = '', b = ''] = [one.factIds[0], other.factIds[0]];
  return a < b ? -1 : Number(a > b);
};

/** Size of a finding's other members as JSON. */
const FRAME_BYTES = 100;

/** Approximate size of the finding in a reply. */
const bytesOf = ({ entity, relation, detail, factIds }: Finding): number =>
  FRAME_BYTES +
  Buffer.byteLength(entity) +
  Buffer.byteLength(relation ?? '') +
  detail.length +
  factIds.reduce((sum, id) => sum + id.length + 3, 0);

const sizeOf = (findings: readonly Finding[]): number => findings.reduce((sum, one) => sum + bytesOf(one), 0);
