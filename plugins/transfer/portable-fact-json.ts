import {
  hasForbiddenCodePoint,
  parseHlc,
  type RestorableFact,
  readFactValue,
  readRelation,
} from '../../kernel/internal-api.ts';
import { parseInstant, readEntityUri, SCOPES, ServiceError, type StoredFact } from '../../kernel/plugin-api.ts';
import type { TransferLine } from './transfer-api.ts';

/** The exported form of a fact: all of its given members, and none that can be computed. */
export const portableFactJson = (fact: StoredFact, cover: RestorableFact['cover']): TransferLine => ({
  id: fact.id,
  hlc: fact.hlcText,
  entity: fact.entity,
  relation: fact.relation,
  value: { type: fact.value.type, v: fact.value.v, interpret_as: fact.value.interpretAs },
  source: fact.source,
  timestamp: fact.timestamp,
  ...(fact.validFrom !== null && { valid_from: fact.validFrom }),
  valid_until: fact.validUntil,
  confidence: fact.confidence,
  scope: fact.scope,
  garden_id: fact.gardenId,
  cid: fact.cid,
  derived_from: fact.derivedFrom,
  ...(fact.replaces.length > 0 && { replaces: fact.replaces }),
  attested: fact.attested,
  attested_key_id: fact.attestedKeyId,
  session_id: fact.sessionId,
  asserted_by: fact.assertedBy,
  received_from: fact.receivedFrom,
  origin_node_id: fact.originNodeId,
  speaker: fact.speaker,
  cover: cover?.kind ?? null,
  cover_speaker: cover?.speaker ?? null,
  ...(fact.originId !== null && { origin_id: fact.originId }),
});

/**
 * Throws `validation` or `invalid_entity_uri` with the member, for a line that `portableFactJson` cannot have written.
 */
export const readPortableFact = (line: TransferLine): RestorableFact => {
  const { confidence, scope: sentScope } = line;
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1)) throw broken('confidence');
  const scope = SCOPES.find((known) => known === sentScope);
  if (scope === undefined) throw broken('scope');
  const hlcText = textOf(line, 'hlc');
  if (parseHlc(hlcText) === null) throw broken('hlc');
  return {
    draft: {
      id: textOf(line, 'id'),
      hlcText,
      entity: readEntityUri(line['entity'], 'entity'),
      relation: readRelation(line['relation'], 'relation'),
      value: readFactValue(line['value'], 'value'),
      source: readEntityUri(line['source'], 'source'),
      timestamp: instantOf(line, 'timestamp'),
      validFrom: line['valid_from'] === undefined ? null : instantOf(line, 'valid_from'),
      validUntil: line['valid_until'] === null ? null : instantOf(line, 'valid_until'),
      confidence,
      scope,
      gardenId: textOrNull(line, 'garden_id'),
      derivedFrom: textsOf(line, 'derived_from'),
      replaces: line['replaces'] === undefined ? [] : textsOf(line, 'replaces'),
      attested: booleanOrNull(line, 'attested'),
      attestedKeyId: textOrNull(line, 'attested_key_id'),
      sessionId: textOrNull(line, 'session_id'),
      receivedFrom: textOrNull(line, 'received_from'),
      originNodeId: textOrNull(line, 'origin_node_id'),
      speaker: textOrNull(line, 'speaker'),
      originId: line['origin_id'] === undefined ? null : textOf(line, 'origin_id'),
    },
    assertedBy: textOrNull(line, 'asserted_by'),
    cid: textOf(line, 'cid'),
    cover: coverOf(line),
  };
};

/** The maximum length of these members, far above the longest text that a node stores in them. */
const MAX_TEXT = 4096;

const textOf = (line: TransferLine, name: string): string => checkedText(line[name], name);

const checkedText = (text: unknown, name: string): string => {
  if (typeof text !== 'string' || text === '' || text.length > MAX_TEXT || hasForbiddenCodePoint(text)) {
    throw broken(name);
  }
  return text;
};

const textOrNull = (line: TransferLine, name: string): string | null =>
  line[name] === null ? null : textOf(line, name);

const textsOf = (line: TransferLine, name: string): string[] => {
  const texts = line[name];
  if (!Array.isArray(texts)) throw broken(name);
  return texts.map((text) => checkedText(text, name));
};

const instantOf = (line: TransferLine, name: string): string => {
  const text = textOf(line, name);
  if (parseInstant(text) === null) throw broken(name);
  return text;
};

const booleanOrNull = (line: TransferLine, name: string): boolean | null => {
  const value = line[name];
  if (value !== null && typeof value !== 'boolean') throw broken(name);
  return value;
};

const coverOf = (line: TransferLine): RestorableFact['cover'] => {
  const { cover: kind } = line;
  if (kind === null) return null;
  if (kind !== 'retraction' && kind !== 'resolution' && kind !== 'replacement') throw broken('cover');
  return { kind, speaker: textOrNull(line, 'cover_speaker') };
};

const broken = (name: string): ServiceError =>
  new ServiceError('validation', `${name} is missing or not what an export holds there`);
