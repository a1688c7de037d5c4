import { spellList } from '../pages/spelled-list.ts';
import type { Reply } from './route-definition.ts';

/** An answer that is a bare array. It stops before 8 MiB, and a header says so. `isCut`: items are left out already. */
export const arrayReply = <T>(items: Iterable<T>, toJson: (item: T) => unknown, isCut = false): Reply => {
  const body = spellList(items, toJson);
  return { status: 200, ...((isCut || body.isCut) && { headers: { 'X-Truncated': 'true' } }), body };
};
