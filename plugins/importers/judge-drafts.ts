import { readFactValue, readRelation, refuseBeginning, refuseTimestamp } from '../../kernel/internal-api.ts';
import { parseInstant, readEntityUri, ServiceError } from '../../kernel/plugin-api.ts';
import { member } from './origin-values.ts';

/**
 * Checks the members of a fact as a node does, for a dry run without a node. Returns the reason for a refusal, or null.
 * Only a node can check duplicates, reserved names, gardens and permissions.
 */
export const refusalOf = (fact: unknown, nowMs: number): string | null => {
  try {
    readEntityUri(member(fact, 'entity'), 'entity');
    readRelation(member(fact, 'relation'), 'relation');
    readEntityUri(member(fact, 'source'), 'source');
    readFactValue(member(fact, 'value'), 'value');
    const timestamp = textOf(fact, 'timestamp');
    const early = timestamp === null ? null : refuseTimestamp(parseInstant(timestamp), nowMs, 'timestamp');
    const span = { validFrom: textOf(fact, 'valid_from'), validUntil: textOf(fact, 'valid_until') };
    const refusal = early ?? refuseBeginning({ ...span, confidence: Number(member(fact, 'confidence')) }, 'valid_from');
    return refusal === null ? null : reasonOf(refusal);
  } catch (error) {
    if (error instanceof ServiceError) return reasonOf(error);
    throw error;
  }
};

const textOf = (fact: unknown, name: string): string | null => {
  const text = member(fact, name);
  return typeof text === 'string' ? text : null;
};

const reasonOf = ({ status, code, message }: ServiceError): string => `${status} ${code}: ${message}`;
