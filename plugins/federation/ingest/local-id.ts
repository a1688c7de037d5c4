import { encodeBase64Url, type Random, sha256Hex } from '../../../kernel/plugin-api.ts';
import type { Namesake } from './namesakes.ts';

const RANK_LENGTH = 16;
/** Leaves room for a rank within the longest id that requests may name. */
const MOST_CHARACTERS = 128 - RANK_LENGTH - 1;
const RANDOM_BYTES = 12;

/** Sorts before and after every other character of an id. */
const [FIRST, LAST] = ['!', '~'];

/**
 * Ranks facts with one id at their origins. The rank follows from origin and content, so it is the same on all nodes.
 */
export const rankOf = (id: string, { originKey, said: { cid, timestampMs, hlcText } }: Namesake): string =>
  sha256Hex(JSON.stringify([id, originKey, cid, timestampMs, hlcText])).slice(0, RANK_LENGTH);

/**
 * Returns the id of a fact whose own id is taken. Lists break ties by id, so it sorts next to the taken id. The ranks
 * decide on which side, so that every node shows both facts in one order.
 */
export const localIdOf = (id: string, rank: string, rankOfTaken: string): string => {
  const start = id.slice(0, MOST_CHARACTERS);
  return rank > rankOfTaken ? `${start}${FIRST}${rank}` : `${justBefore(start)}${LAST}${rank}`;
};

/** Returns an id that nobody could foresee, for a fact whose local id somebody has taken on purpose. */
export const unforeseenIdOf = (id: string, random: Random): string =>
  `${id.slice(0, MOST_CHARACTERS)}${FIRST}${encodeBase64Url(random.bytes(RANDOM_BYTES))}`;

const ALPHABET = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns a text that sorts before this one and behind the other ids of its form. */
const justBefore = (text: string): string => {
  const last = text.at(-1) ?? FIRST;
  const lower = [...ALPHABET].findLast((character) => character < last) ?? FIRST;
  return `${text.slice(0, -1)}${lower}`;
};
