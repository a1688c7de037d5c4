import type { ServiceNames } from '../../kernel/plugin-api.ts';
import { CONFLICT_ENTITIES } from './conflicts-words.ts';

/** The entity of the system facts about a record. */
export const conflictEntity = (recordId: string, names: ServiceNames): string =>
  names.meta(`${CONFLICT_ENTITIES.id}:${recordId}`);
