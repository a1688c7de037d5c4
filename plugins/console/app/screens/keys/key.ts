import type { AnswerOf } from '../../../../../client/client.ts';

/** A key as the node describes it, without its secret. */
export type Key = AnswerOf<'GET /v1/auth/keys'>[number];

/** A readable name of a key. */
export const nameOf = ({ description, entity_uri: entity }: Key): string => description ?? entity;
