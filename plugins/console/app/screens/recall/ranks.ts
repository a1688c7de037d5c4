import type { RecallReply } from '../../../../../client/client.ts';

/** The rank of each fact, 1 for the best. */
export type Ranks = ReadonlyMap<string, number>;

export const ranksOf = ({ facts }: RecallReply): Ranks => new Map(facts.map(({ fact }, at) => [fact.id, at + 1]));
