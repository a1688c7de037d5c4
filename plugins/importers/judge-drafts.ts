import { refuseTimestamp } from '../../kernel/internal-api.ts';
import { parseInstant, readEntityUri, readFactValue, readRelation, ServiceError } from '../../kernel/plugin-api.ts';
import { member } from './origin-values.ts';

/**
 * Judges the members of a fact as a node does, for a dry run without a node. Returns the reason of a refusal. A node
 * also knows duplicates, reserved names, gardens and permissions.
 */
export const refusalOf = (fact: unknown, nowMs: number): string | null => {
  try {
    readEntityUri(member(fact, 'entity'), 'entity');
    readRelation(member(fact, 'relation'), 'relation');
    readEntityUri(member(fact, 'source'), 'source');
    readFactValue(member(fact, 'value'), 'value');
    const timestamp = member(fact, 'timestamp');
    const early = typeof timestamp === 'string' ? refuseTimestamp(parseInstant(timestamp), nowMs, 'timestamp') : null;
    return early === null ? null : reasonOf(early);
  } catch (error) {
    if (error instanceof ServiceError) return reasonOf(error);
    throw error;
  }
};

const reasonOf = ({ status, code, message }: ServiceError): string => `${status} ${code}: ${message}`;
