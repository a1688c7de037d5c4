import { defineVocabulary, type JsonSchema, type Word } from '../../kernel/plugin-api.ts';

/** A member of the answer to `GET /v1/facts` that a plugin fills. */
export interface QueryMember extends Word {
  readonly json: JsonSchema;
  /** True if an answer may lack the member. */
  readonly optional?: true;
}

export const QueryMembers = defineVocabulary<QueryMember>('member of a query', /^[a-z][a-z0-9_]*$/);

/**
 * Claims a member of the answer: `defineQueryMember('tickets', { summary: '…', json: COUNT_JSON })`. The plugin lists
 * it in `declares` and fills it through `queryAnswer`.
 */
export const defineQueryMember = (id: string, definition: Omit<QueryMember, 'vocabulary' | 'id'>): QueryMember =>
  QueryMembers.define(id, definition);
