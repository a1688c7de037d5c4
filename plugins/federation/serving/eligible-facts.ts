import { all, any, equals, type Filter, isIn, isNull, not, type Scope } from '../../../kernel/plugin-api.ts';

/** For whom, and which of the scopes that it may have. */
export interface Requester {
  /** Node id. */
  readonly nodeId: string;
  readonly scopes: ReadonlySet<Scope>;
}

/**
 * What a peer may have of the facts that are visible to it. No system facts and nothing of a garden, whoever its
 * members are. Facts for the company come from their own origin alone: the peer that passed one on was allowed to, and
 * did not allow it to others. What the requester said or sent itself is left out to save its time.
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

/** Facts of these sources follow from others, and each node draws its own conclusions. */
export const isSystemSource = (source: string): boolean => source.toLowerCase().startsWith(SYSTEM_SOURCES);
