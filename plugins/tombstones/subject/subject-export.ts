import { createHash } from 'node:crypto';
import { canonicalJson, encodeBase64Url, keyIdOf, ZERO_HLC } from '../../../kernel/internal-api.ts';
import {
  above,
  all,
  any,
  type Clock,
  equals,
  type FactJson,
  type Facts,
  type Filter,
  formatInstant,
  type Hlc,
  isIn,
  matchKey,
  memberRefusal,
  type NodeSelf,
  type Principal,
  type Random,
  readEntityUri,
  requirePermission,
} from '../../../kernel/plugin-api.ts';
import type { AuditLog } from '../../audit/audit-api.ts';
import { type KeyRegistry, principalKey } from '../../keys/keys-api.ts';
import type { NodeIdentity } from '../../node-info/node-info-api.ts';
import { SUBJECT_EXPORTED } from '../tombstones-words.ts';

export interface SubjectQuery {
  readonly entityUri: string;
  /** True to export facts about the entity. */
  readonly about: boolean;
  /** True to export facts that the entity asserted, or that name it as their source. */
  readonly assertedBy: boolean;
}

export interface SubjectParts {
  readonly facts: Facts;
  readonly factJson: FactJson;
  readonly clock: Clock;
  readonly random: Random;
  readonly self: NodeSelf;
  readonly identity: NodeIdentity;
  readonly audit: AuditLog | undefined;
  readonly keys: Pick<KeyRegistry, 'list'> | undefined;
}

const FACTS_PER_PAGE = 64;
/** The maximum size of the values of a page, because one value may have a mebibyte. */
const BYTES_PER_PAGE = 1024 * 1024;

/** Exports all facts about or by an entity, for operators who must hand them over. */
export class SubjectExport {
  readonly #parts: SubjectParts;

  constructor(parts: SubjectParts) {
    this.#parts = parts;
  }

  /**
   * Yields lines of JSON, each with its line break: a header, one line for each visible fact in the order of storage,
   * and an end with a signed receipt. A file without its end is incomplete. Needs `admin` and `read`, and is audited
   * before the first line. Each page has its own snapshot, so facts that arrive during the export may be missing.
   */
  async lines(caller: Principal, query: SubjectQuery): Promise<AsyncIterable<string>> {
    requirePermission(caller, 'admin');
    // Requires both permissions, because neither implies the other.
    requirePermission(caller, 'read');
    const entityUri = readEntityUri(query.entityUri, 'body.entity_uri');
    if (!query.about && !query.assertedBy) throw memberRefusal('body.about', 'must be true unless asserted_by is');
    const { audit } = this.#parts;
    const { tenantId, entityUri: actor, oidcSub } = caller;
    const detail = { about: query.about, asserted_by: query.assertedBy };
    await audit?.record({ event: SUBJECT_EXPORTED, tenantId, entityUri: actor, oidcSub, detail });
    const holders = query.assertedBy ? await this.#holders(caller, entityUri) : [];
    return this.#lines(caller, { ...query, entityUri, holders });
  }

  /** Returns all spellings of the entity in keys, ended ones included: a fact has the spelling of its key. */
  async #holders(caller: Principal, entityUri: string): Promise<readonly string[]> {
    const { keys, self } = this.#parts;
    const key = principalKey(entityUri, self.names);
    const known = (await keys?.list(caller, { includeInactive: true })) ?? [];
    const spellings = known.map((one) => one.entityUri).filter((text) => principalKey(text, self.names) === key);
    return [...new Set([entityUri, ...spellings])];
  }

  async *#lines(caller: Principal, query: Subject): AsyncGenerator<string, void, undefined> {
    const { clock, self } = this.#parts;
    const digest = createHash('sha256');
    const told = (line: object): string => {
      const text = `${JSON.stringify(line)}\n`;
      digest.update(text);
      return text;
    };
    const asked = { entity_uri: query.entityUri, about: query.about, asserted_by: query.assertedBy };
    const exportedAt = formatInstant(clock.nowMs());
    yield told({ type: 'header', version: 1, node_id: self.nodeId, ...asked, exported_at: exportedAt });
    let facts = 0;
    for (let after: Hlc | undefined = ZERO_HLC; after !== undefined; ) {
      const page: Page = await this.#page(caller, query, after);
      facts += page.lines.length;
      yield page.lines.map(told).join('');
      after = page.last;
    }
    yield `${JSON.stringify({ type: 'end', ...this.#receipt(caller, asked, facts, digest.digest('hex')) })}\n`;
  }

  #page(caller: Principal, query: Subject, after: Hlc): Promise<Page> {
    const { facts, factJson, self } = this.#parts;
    return facts.read(caller, 'export', async (reader) => {
      const filter = all(await reader.constraint('visible'), saidOf(query, self), above('feed', after));
      const page = { filter, order: 'feed', limit: FACTS_PER_PAGE, maxBytes: BYTES_PER_PAGE } as const;
      const found = await reader.snapshot.find(page);
      // Other plugins may return the annotated facts in another order, so they are matched by id.
      const views = new Map((await reader.annotate(found)).map((view) => [view.fact.id, view]));
      const lines = found.flatMap(({ id }) => {
        const view = views.get(id);
        return view === undefined ? [] : [{ type: 'fact', fact: factJson(view) }];
      });
      return { lines, last: found.at(-1)?.feed };
    });
  }

  #receipt(caller: Principal, asked: object, facts: number, digest: string) {
    const { clock, random, self, identity } = this.#parts;
    const unsigned = {
      id: `export_${random.uuid()}`,
      tenant_id: caller.tenantId,
      ...asked,
      facts,
      // The digest covers the bytes of all earlier lines.
      digest: `sha256:${digest}`,
      created_at: formatInstant(clock.nowMs()),
      signed_by: self.nodeId,
      key_id: keyIdOf(identity.publicKey),
    };
    const signature = encodeBase64Url(identity.sign(Buffer.from(canonicalJson(unsigned))));
    return { facts, digest: unsigned.digest, receipt: { ...unsigned, signature } };
  }
}

interface Subject extends SubjectQuery {
  /** The spellings of the entity in the keys by which it asserts facts. */
  readonly holders: readonly string[];
}

interface Page {
  readonly lines: readonly object[];
  /** The stamp of the last fact; undefined for a page without facts, which ends the export. */
  readonly last: Hlc | undefined;
}

const saidOf = ({ entityUri, about, assertedBy, holders }: Subject, { names }: NodeSelf): Filter => {
  const key = matchKey(entityUri, names);
  return any(
    ...(about ? [equals('entityKey', key)] : []),
    ...(assertedBy ? [isIn('assertedBy', holders), equals('sourceKey', key)] : []),
  );
};
