import { contentId } from '../../kernel/internal-api.ts';
import type { FactValue, Scope } from '../../kernel/plugin-api.ts';
import type { ImportDraft } from './importers-api.ts';

/** The maximum number of remembered keys of earlier drafts. It limits the memory. */
const MAX_KEYS = 200_000;
const MAX_DERIVED = 100;
const MAX_SESSION = 128;

export interface DraftDefaults {
  readonly scope: Scope;
  readonly garden: string | undefined;
  readonly sourcePrefix: string;
  /** Returns the time for a draft without one: the time of its file. */
  undated?(): string | undefined;
}

/** Converts drafts, in their order, to bodies of POST /v1/facts. */
export interface DraftFacts {
  factOf(draft: ImportDraft): Readonly<Record<string, unknown>>;
  /** Number of links to drafts that did not exist before. */
  readonly missedLinks: number;
}

export const createDraftFacts = (defaults: DraftDefaults): DraftFacts => {
  const contentIds = new Map<string, string>();
  let missedLinks = 0;
  const linksOf = (keys: readonly string[]): string[] =>
    keys.slice(0, MAX_DERIVED).flatMap((key) => {
      const id = contentIds.get(key);
      if (id === undefined) missedLinks += 1;
      return id === undefined ? [] : [id];
    });
  return {
    factOf(draft) {
      const { entity, relation, confidence = 1 } = draft;
      const scope = draft.scope ?? defaults.scope;
      const source = `${defaults.sourcePrefix}${draft.source}`.trim();
      const derivedFrom = linksOf(draft.derivedFrom ?? []);
      const garden = draft.garden ?? defaults.garden;
      if (draft.key !== undefined) {
        const value: FactValue = { ...draft.value, interpretAs: 'content' };
        const [oldest] = contentIds.size >= MAX_KEYS ? contentIds.keys() : [];
        if (oldest !== undefined) contentIds.delete(oldest);
        contentIds.set(draft.key, contentId({ confidence, entity: entity.trim(), relation, scope, source, value }));
      }
      const timestamp = draft.timestamp ?? defaults.undated?.();
      return {
        entity,
        relation,
        value: draft.value,
        source,
        scope,
        confidence,
        ...(timestamp === undefined ? {} : { timestamp }),
        ...(draft.validFrom === undefined ? {} : { valid_from: draft.validFrom }),
        ...(draft.validUntil === undefined ? {} : { valid_until: draft.validUntil }),
        ...(garden === undefined ? {} : { garden_id: garden }),
        ...(derivedFrom.length === 0 ? {} : { derived_from: derivedFrom }),
      };
    },
    get missedLinks() {
      return missedLinks;
    },
  };
};

/** A valid header value; undefined for a draft without a conversation. */
export const sessionHeader = ({ session }: ImportDraft, digest: (text: string) => string): string | undefined => {
  if (session === undefined) return undefined;
  const text = session.trim();
  return /^[\x21-\x7e]+$/.test(text) && text.length <= MAX_SESSION ? text : `session:${digest(text)}`;
};
