import type { Expiry, FactName, FormerExpiry } from '../../../kernel/internal-api.ts';
import { compareHlc, type Hlc, type NamedFact, type StoredFact, type TripleKey } from '../../../kernel/thread-api.ts';
import { normOf } from '../words/document-norm.ts';
import { readFactTerms } from '../words/fact-terms.ts';
import { MOST_DOCUMENTS, PostingLists } from '../words/posting-lists.ts';
import { TermCounts } from '../words/term-counts.ts';
import { TermReader } from '../words/term-reader.ts';
import { type CoverKey, CoverTable } from './cover-table.ts';
import { DocumentChains } from './document-chains.ts';
import {
  BEGINS,
  CONFIDENCE,
  DocumentTable,
  ENDED,
  EXPIRES,
  ORDINAL,
  PART,
  SPEAKER,
  TIMED,
  TIMED_AGAIN,
  TIMED_LATE,
} from './document-table.ts';
import type { IndexPart } from './index-part.ts';
import { type IndexedCover, type IndexedFact, speaksOf } from './indexed-fact.ts';
import { LifetimeTable } from './lifetime-table.ts';
import { PartCatalog } from './part-catalog.ts';
import { realmOf, tenantOfRealm } from './realm.ts';
import { type Hash64, type HashSeed, KEY_KINDS, TextHasher } from './text-hash.ts';
import { WithheldDocuments } from './withheld-documents.ts';

const NO_SPEAKER: Hash64 = Object.freeze({ hi: 0, lo: 0 });

/**
 * The state of an index, and the changes that facts, covers and times-to-live make to it. Searches read it. Nothing is
 * ever removed from it.
 */
export class IndexState {
  readonly hasher: TextHasher;
  readonly documents: DocumentTable;
  readonly chains: DocumentChains;
  readonly covers = new CoverTable();
  readonly lifetimes: LifetimeTable;
  readonly lists = new PostingLists();
  readonly catalog = new PartCatalog();
  readonly withheld = new WithheldDocuments();
  readonly reader: TermReader;
  readonly #counts = new TermCounts();
  readonly #entity: Hash64 = { hi: 0, lo: 0 };
  readonly #relation: Hash64 = { hi: 0, lo: 0 };
  readonly #session: Hash64 = { hi: 0, lo: 0 };
  readonly #speaker: Hash64 = { hi: 0, lo: 0 };
  readonly #source: Hash64 = { hi: 0, lo: 0 };
  readonly #asserter: Hash64 = { hi: 0, lo: 0 };

  constructor(seed: HashSeed) {
    this.hasher = new TextHasher(seed);
    this.reader = new TermReader(this.hasher);
    this.documents = new DocumentTable(seed[0]);
    this.chains = new DocumentChains(this.documents);
    this.lifetimes = new LifetimeTable(seed[1]);
  }

  /** Adds a new fact, which must be findable. */
  add(fact: IndexedFact): void {
    const { documents, lists } = this;
    if (documents.count >= MOST_DOCUMENTS) throw new RangeError('the search index is full');
    const counts = this.#counts;
    counts.clear();
    readFactTerms(fact, this.reader, counts);
    const part = this.catalog.partOf(fact);
    const document = this.#addDocument(fact, part, counts.length);
    const norm = documents.norms[document] as number;
    for (let at = 0; at < counts.distinct; at += 1) {
      lists.add(
        part.number,
        counts.hi[at] as number,
        counts.lo[at] as number,
        document,
        counts.times[at] as number,
        norm,
      );
    }
    if (fact.sessionId !== null) lists.add(part.number, this.#session.hi, this.#session.lo, document, 0, 0);
  }

  /**
   * Withholds the document of a fact from all searches, or restores it. The words are read from the fact, which must be
   * unchanged since it was added.
   */
  withhold(fact: IndexedFact, isWithheld: boolean): void {
    const { documents, lists, withheld } = this;
    const document = this.documentOf(fact);
    if (document < 0 || !withheld.set(document, isWithheld)) return;
    const counts = this.#counts;
    counts.clear();
    readFactTerms(fact, this.reader, counts);
    const part = this.catalog.parts[documents.word(document, PART)] as IndexPart;
    const change = isWithheld ? 1 : -1;
    for (let at = 0; at < counts.distinct; at += 1) {
      withheld.count(lists.find(part.number, counts.hi[at] as number, counts.lo[at] as number), change);
    }
    part.withheldLength += change * counts.length;
    if (isWithheld) part.withheld.set(documents.word(document, ORDINAL), counts.length);
    else part.withheld.delete(documents.word(document, ORDINAL));
  }

  /** Returns the document number of a fact, or -1. */
  documentOf({ tenantId, id }: FactName): number {
    return this.documents.ids.find(this.catalog.tenantNumber(tenantId), id);
  }

  /** Adds a cover. Adding the same one again changes nothing. */
  cover(cover: IndexedCover): void {
    const { documents, covers, catalog } = this;
    const realm = this.#readTriple(cover);
    if (cover.named !== null) {
      this.#coverNamed(cover, cover.named, realm);
      return;
    }
    covers.raise(this.#coverKey(realm, cover.gardenId, this.#speaker), cover);
    const part = catalog.knownPart(cover);
    if (part === undefined) return;
    const { wallMs, counter } = cover.hlc;
    this.chains.visitTriple(part, this.#entity, this.#relation, (document) => {
      const isMeant = cover.speaker === null || documents.has(document, SPEAKER, this.#speaker);
      if (isMeant && documents.isBefore(document, wallMs, counter)) this.#end(document, cover.since);
    });
  }

  #coverNamed(cover: IndexedCover, { id, origin, isOwn }: NamedFact, realm: number): void {
    const { tenantId, gardenId, speaker, since, targets = [] } = cover;
    // The name may have this node as its origin, but a fact of this node may be stored without an origin.
    for (const known of isOwn ? [origin, null] : [origin]) {
      this.covers.raise(this.#coverKey(realm, gardenId, this.#nameKey(id, known, speaker)), cover);
    }
    for (const target of targets) {
      const document = this.documentOf({ tenantId, id: target });
      if (document >= 0) this.#end(document, since);
    }
  }

  /** Returns the key of a fact's name. Covers of one fact store it in place of the speaker. */
  #nameKey(id: string, origin: string | null, speaker: string | null): Hash64 {
    const key: Hash64 = { hi: 0, lo: 0 };
    this.hasher.hash(`${id} ${origin ?? ''} ${speaker ?? ''}`, KEY_KINDS.name, key);
    return key;
  }

  /** Stores the time-to-live of a fact that may still be unknown. */
  expire(expiry: Expiry): void {
    const { tenantId, factId } = expiry;
    const { documents, lifetimes, catalog } = this;
    const tenant = catalog.tenantNumber(tenantId);
    const document = documents.ids.find(tenant, factId);
    const isFirst = lifetimes.ids.find(tenant, factId) < 0;
    if (!lifetimes.set(tenant, factId, expiry) || document < 0) return;
    const before = documents.double(document, EXPIRES);
    if (isFirst) lifetimes.setLimit(tenant, factId, before);
    documents.setExpiry(document, Math.min(expiry.expiresMs, lifetimes.limitOf(tenant, factId)));
    this.#markTimed(document, tenant, factId);
    if (before !== Number.POSITIVE_INFINITY) return;
    (catalog.parts[documents.word(document, PART)] as IndexPart).bounded.push(documents.word(document, ORDINAL));
  }

  /** Keeps a replaced time-to-live of a fact that may still be unknown. */
  keepFormer({ tenantId, factId, expiresMs, since }: FormerExpiry): void {
    const tenant = this.catalog.tenantNumber(tenantId);
    this.lifetimes.keepFormer(tenant, factId, expiresMs, since);
    const document = this.documents.ids.find(tenant, factId);
    if (document >= 0) this.#markTimed(document, tenant, factId);
  }

  /** Derives the parts and their lists of bounded documents from restored rows. Chains are linked later. */
  restoreLinks(): void {
    const { documents, lifetimes, catalog } = this;
    for (let document = 0; document < documents.count; document += 1) {
      const part = catalog.parts[documents.word(document, PART)] as IndexPart;
      if (lifetimes.rows.count > 0) this.#restoreLifetime(document);
      const length = documents.lengthOf(document);
      const isBounded =
        documents.double(document, BEGINS) !== 0 || documents.double(document, EXPIRES) !== Number.POSITIVE_INFINITY;
      part.add(document, length, documents.double(document, CONFIDENCE), isBounded);
    }
  }

  /** Marks a restored document as ended. */
  restoreEnd(document: number, at: Hlc): void {
    this.#end(document, at);
  }

  #restoreLifetime(document: number): void {
    const { documents, lifetimes } = this;
    const [tenant, id] = [documents.tenantOf(document), documents.ids.idOf(document)];
    const lifeEnd = lifetimes.expiryOf(tenant, id);
    if (lifeEnd === Number.POSITIVE_INFINITY) return;
    documents.setExpiry(document, Math.min(lifeEnd, lifetimes.limitOf(tenant, id)));
    this.#markTimed(document, tenant, id);
  }

  /** Flags a document with a time-to-live, so that a search of the past looks up its expiry. */
  #markTimed(document: number, tenant: number, factId: string): void {
    const { flags } = this.documents;
    const late = this.lifetimes.isLate(tenant, factId) ? TIMED_LATE : 0;
    const again = this.lifetimes.isReplacing(tenant, factId) ? TIMED_AGAIN : 0;
    flags[document] = ((flags[document] as number) & ~TIMED_LATE) | TIMED | late | again;
  }

  #addDocument(fact: IndexedFact, part: IndexPart, length: number): number {
    const { documents, lifetimes } = this;
    const realm = this.#readTriple(fact);
    this.#hash(fact.sessionId, KEY_KINDS.session, this.#session);
    this.#hash(fact.sourceKey, KEY_KINDS.source, this.#source);
    this.#hash(fact.assertedBy, KEY_KINDS.asserter, this.#asserter);
    const ownEnd = fact.validUntilMs ?? Number.POSITIVE_INFINITY;
    const tenant = tenantOfRealm(realm);
    const lifeEnd = lifetimes.expiryOf(tenant, fact.id);
    if (lifeEnd !== Number.POSITIVE_INFINITY) lifetimes.setLimit(tenant, fact.id, ownEnd);
    const expiresMs = Math.min(ownEnd, lifeEnd);
    const beginsMs = fact.validFromMs ?? 0;
    const document = documents.add({
      id: fact.id,
      hlc: fact.hlc,
      feed: fact.feed,
      beginsMs,
      expiresMs,
      confidence: fact.confidence,
      part: part.number,
      ordinal: part.count,
      realm,
      length,
      norm: normOf(length),
      entity: this.#entity,
      relation: this.#relation,
      session: this.#session,
      speaker: this.#speaker,
      speaksOfMs: speaksOf(fact),
      source: this.#source,
      asserter: this.#asserter,
    });
    if (lifeEnd !== Number.POSITIVE_INFINITY) this.#markTimed(document, tenant, fact.id);
    part.add(document, length, fact.confidence, beginsMs !== 0 || expiresMs !== Number.POSITIVE_INFINITY);
    this.chains.link(document);
    this.#endIfCovered(document, part, fact);
    return document;
  }

  /** Uses the triple and speaker that `#readTriple` hashed last. */
  #endIfCovered(document: number, part: IndexPart, fact: IndexedFact): void {
    const { covers, documents } = this;
    if (covers.rows.count === 0) return;
    const { id, originId, originNodeId, speaker, feed } = fact;
    const speakers = speaker === null ? [null] : [null, speaker];
    const keys = [
      ...(speaker === null ? [NO_SPEAKER] : [NO_SPEAKER, this.#speaker]),
      ...speakers.map((of) => this.#nameKey(originId ?? id, originNodeId, of)),
    ];
    const stamps = keys.flatMap((key) => {
      const row = covers.find(this.#coverKey(part.realm, part.gardenId, key));
      const isEnding = row >= 0 && documents.isBefore(document, covers.wallOf(row), covers.counterOf(row));
      return isEnding ? [covers.sinceOf(row)] : [];
    });
    const [first] = stamps.sort(compareHlc);
    if (first !== undefined) this.#end(document, compareHlc(first, feed) > 0 ? first : feed);
  }

  /** Returns the cover key of the triple that `#readTriple` hashed last. `speaker` may be the key of a name. */
  #coverKey(realm: number, gardenId: string | null, speaker: Hash64): CoverKey {
    const garden = this.catalog.placeNumber(gardenId);
    return { realm, entity: this.#entity, relation: this.#relation, garden, speaker };
  }

  #end(document: number, at: Hlc): void {
    const { flags } = this.documents;
    const before = flags[document] as number;
    if ((before & ENDED) !== 0) return;
    flags[document] = before | ENDED;
    const part = this.catalog.parts[this.documents.word(document, PART)] as IndexPart;
    part.ended.push(this.documents.word(document, ORDINAL), at);
  }

  /** Hashes the entity, the relation and the speaker, and returns the realm. */
  #readTriple(triple: Omit<TripleKey, 'gardenId'> & Pick<StoredFact, 'speaker'>): number {
    this.#hash(triple.speaker, KEY_KINDS.speaker, this.#speaker);
    this.hasher.hash(triple.entityKey, KEY_KINDS.entity, this.#entity);
    this.hasher.hash(triple.relationKey, KEY_KINDS.relation, this.#relation);
    return realmOf(this.catalog.tenantNumber(triple.tenantId), triple.scope);
  }

  /** Writes the hash of a text, or zeros without one. */
  #hash(text: string | null, kind: number, into: Hash64): void {
    if (text === null) into.hi = into.lo = 0;
    else this.hasher.hash(text, kind, into);
  }
}
