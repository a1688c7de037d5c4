import { foldName } from '../../../kernel/internal-api.ts';
import { all, any, equals, type Filter, isIn, isNull, not, type Scope } from '../../../kernel/plugin-api.ts';

/** A peer with the scopes that it requests. */
export interface Requester {
  readonly nodeId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** True if the peer also requests facts that it asserted or sent itself. */
  readonly wantsOwn?: boolean | undefined;
}

/**
 * Matches the facts that a peer may receive. Excludes system facts and facts in gardens. Of company facts, includes
 * only those of this node, because a grant to one node does not extend to others. Excludes facts that the requesting
 * node asserted or sent itself, to save its time, unless it requests them.
 */
export const eligibleFor = ({ nodeId, scopes, wantsOwn = false }: Requester, ownNodeId: string): Filter => {
  const isTheirs = equals('originNodeId', nodeId);
  const mayGo = [not(equals('scope', 'company')), isNull('receivedFrom'), equals('originNodeId', ownNodeId)];
  const returning = wantsOwn ? [isTheirs] : [];
  return all(
    isIn('scope', [...scopes]),
    isNull('gardenId'),
    equals('system', false),
    any(...mayGo, ...returning),
    any(all(not(isTheirs), not(equals('receivedFrom', nodeId))), ...returning),
  );
};

const SYSTEM_SOURCES = 'system:';

/** Returns true for the source of system facts, because each node derives its own system facts. */
export const isSystemSource = (source: string): boolean => foldName(source).startsWith(SYSTEM_SOURCES);
