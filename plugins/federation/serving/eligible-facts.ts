import { all, any, equals, type Filter, isIn, isNull, not, type Scope } from '../../../kernel/plugin-api.ts';

/** A peer with the scopes that it requests. */
export interface Requester {
  /** The node id of the peer. */
  readonly nodeId: string;
  readonly scopes: ReadonlySet<Scope>;
}

/**
 * Matches the facts that a peer may receive. Excludes system facts and facts in gardens. A node serves only its own
 * company facts, because a grant to one node does not extend to others. Leaves out facts that the requesting node
 * asserted or sent itself, to save its time.
 */
export const eligibleFor = ({ nodeId, scopes }: Requester, ownNodeId: string): Filter =>
  all(
    isIn('scope', [...scopes]),
    isNull('gardenId'),
    equals('system', false),
    any(not(equals('scope', 'company')), isNull('receivedFrom'), equals('originNodeId', ownNodeId)),
    not(equals('originNodeId', nodeId)),
    not(equals('receivedFrom', nodeId)),
  );

const SYSTEM_SOURCES = 'system:';

/** Returns true for the source of system facts, because each node derives its own system facts. */
export const isSystemSource = (source: string): boolean => source.toLowerCase().startsWith(SYSTEM_SOURCES);
