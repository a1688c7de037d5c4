import type { ServiceNames } from '../../kernel/plugin-api.ts';
import { CONFLICT_ENTITIES } from './conflicts-words.ts';

/** Returns the entity of the system facts about a conflict record. */
export const conflictEntity = (recordId: string, names: ServiceNames): string =>
  names.meta(`${CONFLICT_ENTITIES.id}:${recordId}`);
