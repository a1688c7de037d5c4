import type { Hlc } from './fact.ts';

/** The kinds of feed entries on every node. Plugins declare further ones. */
export const CORE_FEED_KINDS = { fact: 'a fact was committed' } as const;
export type CoreFeedKind = keyof typeof CORE_FEED_KINDS;

/** An entry of the feed, which lists the facts in the order of their commits on this node. */
export interface FeedEntry {
  readonly stamp: Hlc;
  readonly kind: CoreFeedKind | (string & Record<never, never>);
  readonly subjectId: string;
  readonly tenantId: string;
}

export interface AnnouncedQuery {
  readonly tenantId: string;
  readonly kind: string;
  readonly after: Hlc;
  readonly upTo: Hlc;
  readonly limit: number;
}
