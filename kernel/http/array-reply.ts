import { spellList } from '../pages/spelled-list.ts';
import type { Reply } from './route-definition.ts';

/**
 * Returns an answer whose body is an array. It ends before 8 MiB, and a header reports that. `isCut`: earlier code has
 * omitted items already.
 */
export const arrayReply = async <T>(
  items: Iterable<T>,
  toJson: (item: T) => unknown,
  isCut = false,
): Promise<Reply> => {
  const body = await spellList(items, toJson);
  return { status: 200, ...((isCut || body.isCut) && { headers: { 'X-Truncated': 'true' } }), body };
};
