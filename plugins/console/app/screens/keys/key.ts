import type { AnswerOf } from '../../../../../client/client.ts';

/** A key as the node tells of it: never with its secret. */
export type Key = AnswerOf<'GET /v1/auth/keys'>[number];

/** What a reader knows a key by. */
export const nameOf = ({ description, entity_uri: entity }: Key): string => description ?? entity;
