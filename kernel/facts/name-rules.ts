import type { ServiceNames } from '../identity/service-names.ts';
import { OpenRelations, ReservedEntities, ReservedRelations } from '../vocabulary/reserved-names.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import type { FactNameKeys } from './match-key.ts';

/** The rules for names that belong to the node itself. */
export interface NameRules {
  /** Returns whether a fact is a system fact, which is about the store itself and found only by its name. */
  isSystem(keys: Pick<FactNameKeys, 'entityKey' | 'relationKey'>): boolean;
  /**
   * Returns the reason why a client may not assert a fact with these names (403 `reserved_namespace`); null when it
   * may.
   */
  refusalOf(keys: FactNameKeys): string | null;
}

const SYSTEM_SOURCES = 'system:';

/** Creates the rules once for a node, because they check every fact. */
export const createNameRules = (names: ServiceNames, vocabulary: Pick<Vocabulary, 'words'>): NameRules => {
  const { prefix, scheme } = names;
  const entitiesUnder = (noun: string): string => names.meta(`${noun}:`);
  const relations = new Map(
    vocabulary
      .words(ReservedRelations)
      .map(({ id, writtenBy }) => [id, `the relation ${id} is written by ${writtenBy}`]),
  );
  const entities = vocabulary.words(ReservedEntities).map(({ id }) => entitiesUnder(id));
  /** Relations that clients may assert, with the reserved entities that such facts may be about. */
  const open = new Map(
    vocabulary.words(OpenRelations).map(({ id, about }) => [names.meta(id), about && entitiesUnder(about.id)]),
  );
  const exception = open.size === 0 ? '' : `; a client may assert ${[...open.keys()].join(' and ')} alone`;
  const closedRelation = `relations under ${prefix} are written by the node${exception}`;

  const isMeta = (key: string): boolean => key.startsWith(prefix) && !key.startsWith(scheme);
  const metaRefusal = (entityKey: string, relationKey: string): string | null => {
    if (relationKey.startsWith(prefix) && !open.has(relationKey)) return closedRelation;
    const under = entities.find((one) => entityKey.startsWith(one));
    return under === undefined || under === open.get(relationKey)
      ? null
      : `entities under ${under} are written by the node`;
  };
  return Object.freeze({
    isSystem: ({ entityKey, relationKey }: Pick<FactNameKeys, 'entityKey' | 'relationKey'>) =>
      isMeta(relationKey) || relations.has(relationKey) || isMeta(entityKey),
    refusalOf: ({ entityKey, relationKey, sourceKey }: FactNameKeys) => {
      if (relationKey.startsWith(prefix) || entityKey.startsWith(prefix)) {
        const problem = metaRefusal(entityKey, relationKey);
        if (problem !== null) return problem;
      }
      const reserved = relations.get(relationKey);
      if (reserved !== undefined) return reserved;
      return sourceKey.startsWith(SYSTEM_SOURCES) ? `sources under ${SYSTEM_SOURCES} belong to the node` : null;
    },
  });
};
