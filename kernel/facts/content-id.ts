import type { FactValue, Scope } from '../../ports/fact.ts';
import { sha256Hex } from '../crypto/sha256-digest.ts';

/** The six members that the content id covers, `entity` and `source` as stored. */
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

/**
 * The text that is hashed. A template gives the canonical form: the members are few and fixed, and for well-formed
 * strings and finite numbers `JSON.stringify` writes what RFC 8785 asks for. Anything else is a bug of the caller.
 */
export const contentIdText = ({ confidence, entity, relation, scope, source, value }: ContentIdFields): string =>
  `{"confidence":${numberText(confidence)},"entity":${quote(entity)},"relation":${quote(relation)},"scope":"${scope}",` +
  `"source":${quote(source)},"value":{${value.interpretAs === 'instruction' ? '"interpret_as":"instruction",' : ''}` +
  `"type":"${value.type}","v":${contentText(value.v)}}}`;

const contentText = (v: FactValue['v']): string => {
  if (typeof v === 'string') return quote(v);
  return typeof v === 'number' ? numberText(v) : String(v);
};

const numberText = (value: number): string => {
  if (!Number.isFinite(value)) throw new TypeError('a content id covers finite numbers only');
  return String(value);
};

const quote = (text: string): string => {
  if (!text.isWellFormed()) throw new TypeError('a content id covers well-formed text only');
  return JSON.stringify(text);
};
