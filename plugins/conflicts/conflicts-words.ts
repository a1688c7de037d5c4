import { defineErrorCode, defineReservedEntities } from '../../kernel/plugin-api.ts';

export const ALREADY_RESOLVED = defineErrorCode('already_resolved', {
  status: 409,
  summary: 'somebody has resolved the conflict already',
});

export const CONFLICT_ENTITIES = defineReservedEntities('conflict', { summary: 'a record of a contradiction' });
export const RESOLUTION_ENTITIES = defineReservedEntities('resolution', {
  summary: 'how a contradiction was resolved',
});
