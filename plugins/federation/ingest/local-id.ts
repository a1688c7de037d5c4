import { encodeBase64Url } from '../../../kernel/internal-api.ts';
import { type Random, sha256Hex } from '../../../kernel/plugin-api.ts';
import type { Namesake } from './namesakes.ts';

const RANK_LENGTH = 16;
/** The maximum length of the id, so that a rank fits within the longest id that requests may name. */
const MOST_CHARACTERS = 128 - RANK_LENGTH - 1;
const RANDOM_BYTES = 12;

/** Characters that sort before and after every other character of an id. */
const [FIRST, LAST] = ['!', '~'];

/**
 * Returns the rank of a fact among facts that have the same id at different origins. It depends only on the id,
 * the origin, the content and the timestamps, so it is the same on all nodes.
 */
export const rankOf = (id: string, { originKey, said: { cid, timestampMs, hlcText } }: Namesake): string =>
  sha256Hex(JSON.stringify([id, originKey, cid, timestampMs, hlcText])).slice(0, RANK_LENGTH);

/**
 * Returns the local id of a fact whose own id another fact has. It sorts directly before or after that id, because
 * lists break ties by id. The ranks decide on which side, so that every node lists both facts in one order.
 */
export const localIdOf = (id: string, rank: string, rankOfTaken: string): string => {
  const start = id.slice(0, MOST_CHARACTERS);
  return rank > rankOfTaken ? `${start}${FIRST}${rank}` : `${justBefore(start)}${LAST}${rank}`;
};

/**
 * Returns an unpredictable id, for a fact whose local id another fact has already. A peer can cause that on purpose.
 */
export const unforeseenIdOf = (id: string, random: Random): string =>
  `${id.slice(0, MOST_CHARACTERS)}${FIRST}${encodeBase64Url(random.bytes(RANDOM_BYTES))}`;

const ALPHABET = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns a text that sorts before this one, but after all smaller ids of the same form. */
const justBefore = (text: string): string => {
  const last = text.at(-1) ?? FIRST;
  const lower = [...ALPHABET].findLast((character) => character < last) ?? FIRST;
  return `${text.slice(0, -1)}${lower}`;
};
