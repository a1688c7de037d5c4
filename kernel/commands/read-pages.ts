import { askServer } from './ask-server.ts';
import type { CommandServer, ServerReply } from './command-server.ts';
import { type QueryMembers, queryOf } from './read-words.ts';

export interface PagesQuery {
  readonly path: string;
  readonly query: QueryMembers;
  /** The member of the reply that contains the items. */
  readonly list: string;
  /** The maximum number of items over all pages. */
  readonly limit: number;
}

export interface ReadPage<T> {
  readonly items: readonly T[];
  readonly document: ServerReply['document'];
  /** Whether the list has further items, even if the limit ends the reading here. */
  readonly hasMore: boolean;
}

const PAGE = 500;

/** Yields the pages of a list of a running node, until the limit or the end. */
export async function* readPages<T>(server: CommandServer, asked: PagesQuery): AsyncGenerator<ReadPage<T>> {
  const { path, query, list, limit } = asked;
  let cursor: string | undefined;
  let read = 0;
  do {
    const address = `${path}?${queryOf({ ...query, cursor, limit: Math.min(PAGE, limit - read) })}`;
    const { document } = await askServer(server, { method: 'GET', path: address });
    const items = (document[list] ?? []) as readonly T[];
    read += items.length;
    cursor = (document['cursor'] ?? undefined) as string | undefined;
    yield { items, document, hasMore: cursor !== undefined };
  } while (cursor !== undefined && read < limit);
}
