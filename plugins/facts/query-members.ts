import { defineVocabulary, type JsonSchema, type Word } from '../../kernel/plugin-api.ts';

/** A member of the answer to `GET /v1/facts` that a plugin sets. */
export interface QueryMember extends Word {
  readonly json: JsonSchema;
  /** True if the member may be absent from an answer. */
  readonly optional?: true;
}

export const QueryMembers = defineVocabulary<QueryMember>('member of a query', /^[a-z][a-z0-9_]*$/);

/**
 * Defines a member of the answer: `defineQueryMember('tickets', { summary: '…', json: COUNT_JSON })`. The plugin lists
 * it in `declares` and sets it through `queryAnswer`.
 */
export const defineQueryMember = (id: string, definition: Omit<QueryMember, 'vocabulary' | 'id'>): QueryMember =>
  QueryMembers.define(id, definition);
