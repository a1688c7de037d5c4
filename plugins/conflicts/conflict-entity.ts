import type { ServiceNames } from '../../kernel/plugin-api.ts';
import { CONFLICT_ENTITIES } from './conflicts-words.ts';

/** The entity under which meta-facts, and callers, speak of a record. */
export const conflictEntity = (recordId: string, names: ServiceNames): string =>
  names.meta(`${CONFLICT_ENTITIES.id}:${recordId}`);
