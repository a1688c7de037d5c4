import { SCOPES } from '../../../kernel/thread-api.ts';
import {
  type DocumentTable,
  ENDED,
  ENTITY,
  ENTITY_CHAIN,
  PART,
  REALM,
  RELATION,
  TRIPLE_CHAIN,
} from './document-table.ts';
import type { IndexPart } from './index-part.ts';
import { NewestMarks } from './newest-marks.ts';
import { realmOf, tenantOfRealm } from './realm.ts';
import { SlotTable } from './slot-table.ts';
import { type Hash64, mix32 } from './text-hash.ts';

/**
 * Chains of documents, each from the newest to the oldest. One chain links the documents of an entity, over all scopes
 * and gardens of a tenant. Another one links the documents of a triple within one part.
 */
export class DocumentChains {
  readonly #documents: DocumentTable;
  readonly #entities = new SlotTable();
  /** For each entity, the newest document of the chain of documents that have left the entity's main chain. */
  readonly #leftEntities = new SlotTable();
  readonly #triples = new SlotTable();
  readonly #newest: NewestMarks;
  readonly #newestOfEntity: NewestMarks;
  /**
   * Documents below this number are linked. Those of a snapshot are linked in idle time, or when a chain is first read.
   */
  #linked = 0;
  #realm = 0;
  #part = 0;
  #entity: Hash64 = { hi: 0, lo: 0 };
  #relation: Hash64 = { hi: 0, lo: 0 };
  readonly #isEntity = (document: number): boolean =>
    this.#documents.has(document, ENTITY, this.#entity) &&
    tenantOfRealm(this.#documents.word(document, REALM)) === tenantOfRealm(this.#realm);
  readonly #isTriple = (document: number): boolean =>
    this.#documents.has(document, ENTITY, this.#entity) &&
    this.#documents.has(document, RELATION, this.#relation) &&
    this.#documents.word(document, PART) === this.#part;

  constructor(documents: DocumentTable) {
    this.#documents = documents;
    this.#newest = new NewestMarks(documents);
    this.#newestOfEntity = new NewestMarks(documents);
  }

  /**
   * Returns the newest document with a number up to `document`; with `ofEntity`, compares only documents of its entity.
   */
  newestUpTo(document: number, ofEntity: boolean): number {
    this.linkSome();
    return (ofEntity ? this.#newestOfEntity : this.#newest).upTo(document);
  }

  /** Links a new document, unless older ones are still unlinked. */
  link(document: number): void {
    if (document === this.#linked) this.linkSome(1);
  }

  /** Links at most this many unlinked documents, by default all. Returns true if some remain. */
  linkSome(most = Number.POSITIVE_INFINITY): boolean {
    const end = Math.min(this.#documents.count, this.#linked + most);
    for (; this.#linked < end; this.#linked += 1) this.#link(this.#linked);
    return end < this.#documents.count;
  }

  /** Inserts a document before the older ones of its entity and its triple. */
  #link(document: number): void {
    const documents = this.#documents;
    this.#part = documents.word(document, PART);
    this.#seek(
      documents.word(document, REALM),
      hashAt(documents, document, ENTITY),
      hashAt(documents, document, RELATION),
    );
    const entityHash = this.#entityHash();
    if (document > 0) this.#newest.note(document, document - 1);
    const olderOfEntity = this.#entities.find(entityHash, this.#isEntity);
    documents.setWord(document, ENTITY_CHAIN, olderOfEntity + 1);
    if (olderOfEntity < 0) this.#entities.add(entityHash, document);
    else {
      this.#entities.replace(entityHash, this.#isEntity, document);
      this.#newestOfEntity.note(document, olderOfEntity);
    }
    const tripleHash = this.#tripleHash();
    const olderOfTriple = this.#triples.find(tripleHash, this.#isTriple);
    documents.setWord(document, TRIPLE_CHAIN, olderOfTriple + 1);
    if (olderOfTriple < 0) this.#triples.add(tripleHash, document);
    else this.#triples.replace(tripleHash, this.#isTriple, document);
  }

  /**
   * Yields documents of an entity that were not ended, newest first. Ended ones move on the way to another chain, which
   * only searches of the past read. So retracted facts are passed only once.
   */
  *ofEntity(tenant: number, entity: Hash64): Generator<number> {
    this.linkSome();
    this.#seek(realmOf(tenant, SCOPES[0]), entity, entity);
    const documents = this.#documents;
    let kept = -1;
    let document = this.#entities.find(this.#entityHash(), this.#isEntity);
    while (document >= 0) {
      const older = documents.word(document, ENTITY_CHAIN) - 1;
      const isEnded = ((documents.flags[document] as number) & ENDED) !== 0;
      // The first document stays even if it has ended, because the table finds the chain by it.
      if (kept >= 0 && isEnded) {
        documents.setWord(kept, ENTITY_CHAIN, older + 1);
        this.#leave(document, tenant, entity);
      } else kept = document;
      if (!isEnded) yield document;
      document = older;
    }
  }

  /** Yields all documents of an entity of a tenant, ended ones too, in no order. */
  *everyOfEntity(tenant: number, entity: Hash64): Generator<number> {
    this.linkSome();
    this.#seek(realmOf(tenant, SCOPES[0]), entity, entity);
    const heads = [this.#entities, this.#leftEntities].map((table) => table.find(this.#entityHash(), this.#isEntity));
    for (const head of heads) {
      for (let at = head; at >= 0; at = this.#documents.word(at, ENTITY_CHAIN) - 1) yield at;
    }
  }

  /** Moves a document to the chain of those that have left the chain of their entity. */
  #leave(document: number, tenant: number, entity: Hash64): void {
    this.#seek(realmOf(tenant, SCOPES[0]), entity, entity);
    const hash = this.#entityHash();
    const before = this.#leftEntities.find(hash, this.#isEntity);
    this.#documents.setWord(document, ENTITY_CHAIN, before + 1);
    if (before < 0) this.#leftEntities.add(hash, document);
    else this.#leftEntities.replace(hash, this.#isEntity, document);
  }

  /**
   * Visits documents of a triple in one part that have not ended, newest first. `visit` may end documents, which then
   * leave the chain. So repeated endings of a triple do not read all its past facts again.
   */
  visitTriple(part: IndexPart, entity: Hash64, relation: Hash64, visit: (document: number) => void): void {
    this.linkSome();
    this.#part = part.number;
    this.#seek(part.realm, entity, relation);
    const documents = this.#documents;
    let kept = -1;
    let document = this.#triples.find(this.#tripleHash(), this.#isTriple);
    while (document >= 0) {
      const older = documents.word(document, TRIPLE_CHAIN) - 1;
      visit(document);
      // The first document stays even if it has ended, because the table finds the chain by it.
      if (kept < 0 || ((documents.flags[document] as number) & ENDED) === 0) kept = document;
      else documents.setWord(kept, TRIPLE_CHAIN, older + 1);
      document = older;
    }
  }

  #seek(realm: number, entity: Hash64, relation: Hash64): void {
    this.#realm = realm;
    this.#entity = entity;
    this.#relation = relation;
  }

  #entityHash(): number {
    return (
      mix32(this.#entity.lo ^ Math.imul(tenantOfRealm(this.#realm) + 1, 0x9e3779b1) ^ mix32(this.#entity.hi)) >>> 0
    );
  }

  #tripleHash(): number {
    return (
      mix32(this.#entity.lo ^ mix32(this.#relation.lo ^ Math.imul(this.#part + 1, 0x9e3779b1)) ^ this.#entity.hi) >>> 0
    );
  }
}

const hashAt = (documents: DocumentTable, document: number, member: number): Hash64 => ({
  hi: documents.word(document, member),
  lo: documents.word(document, member + 1),
});
