import type { FactValue, Scope } from '../../ports/fact.ts';
import { canonicalScalar as text } from '../crypto/canonical-scalar.ts';
import { sha256Hex } from '../crypto/sha256-digest.ts';

/** The six members that the content id covers. `entity` and `source` are in stored form. */
export interface ContentIdFields {
  readonly confidence: number;
  readonly entity: string;
  readonly relation: string;
  readonly scope: Scope;
  readonly source: string;
  readonly value: FactValue;
}

/**
 * `sha256:<hex>` over the RFC 8785 form of the six members (docs/reference/values.md); `interpret_as` takes part only
 * when it is `instruction`. An integrity check, never an identity: several facts may share one.
 */
export const contentId = (fact: ContentIdFields): string => `sha256:${sha256Hex(contentIdText(fact))}`;

/** Returns the text to hash. A template writes the canonical form, because the members are few and fixed. */
export const contentIdText = ({ confidence, entity, relation, scope, source, value }: ContentIdFields): string =>
  `{"confidence":${text(confidence)},"entity":${text(entity)},"relation":${text(relation)},"scope":"${scope}",` +
  `"source":${text(source)},"value":{${value.interpretAs === 'instruction' ? '"interpret_as":"instruction",' : ''}` +
  `"type":"${value.type}","v":${text(value.v)}}}`;
