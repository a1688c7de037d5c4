import { memberRefusal, type Notes, readEntityUri, ServiceError } from '../../kernel/plugin-api.ts';
import type { Moments } from '../time-travel/time-travel-api.ts';

/** Reads the entity of a request. Cards report every error of an entity as `validation` (400). */
export const readCardEntity = (text: string): string => {
  try {
    return readEntityUri(text, PATH);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const violations = error.violations === undefined ? {} : { violations: error.violations };
    throw new ServiceError('validation', error.message, { status: 400, ...violations });
  }
};

/** The notes of a read of the past. */
export const readMoment = (asOf: string, moments: Moments | undefined): Notes => {
  if (moments !== undefined) return moments.asOf(asOf, 'query.as_of');
  throw memberRefusal(
    'query.as_of',
    'cannot be used: there are cards of the present alone, because the plugin time-travel is switched off',
    'validation',
    { status: 400 },
  );
};

const PATH = 'path.entity_uri';
const CLIMBS = /(^|[/\\])\.\.([/\\]|$)/;

/**
 * The refusal of an entity without live facts. A known entity may contain `..`, so the look-up comes first. In an
 * unknown entity, `..` between slashes counts as an attempt at path traversal.
 */
export const nothingKnown = (entity: string): ServiceError =>
  CLIMBS.test(entity)
    ? memberRefusal(PATH, 'must not climb a path with two dots', 'validation', { status: 400 })
    : new ServiceError('lookup', 'there are no live facts about this entity in this scope');
