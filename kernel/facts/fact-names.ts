import type { Cover, NamedFact, PreparedFact, StoredFact } from '../../ports/ports.ts';
import { compareHlc } from '../../ports/ports.ts';

/** The maximum number of facts that a fact may name in `replaces`. */
export const MAX_REPLACED = 100;

type Named = Pick<PreparedFact, 'id' | 'originId' | 'originNodeId'>;

/** Returns the name of a fact in the form of `replaces`, for facts that are asserted at this node. */
export const nameOf = ({ id, originId, originNodeId }: Named, nodeId: string): string => {
  const atOrigin = originId ?? id;
  return originNodeId === null || originNodeId === nodeId ? atOrigin : `${atOrigin} ${originNodeId}`;
};

/** Returns the id at the origin in a name. */
export const idInName = (name: string): string => name.split(' ', 1)[0] as string;

/** Returns the identities of the facts that a fact names in `replaces`. */
export const namedBy = (
  { replaces, originNodeId }: Pick<PreparedFact, 'replaces' | 'originNodeId'>,
  nodeId: string,
): readonly NamedFact[] => {
  if (replaces.length === 0) return NONE;
  return replaces.map((name) => {
    const id = idInName(name);
    const origin = name === id ? (originNodeId ?? nodeId) : name.slice(id.length + 1);
    return { id, origin, isOwn: origin === nodeId };
  });
};

const NONE: readonly NamedFact[] = Object.freeze([]);

/** Returns true if a fact has this name. */
export const isNamed = ({ id, origin, isOwn }: NamedFact, fact: Named): boolean =>
  id === (fact.originId ?? fact.id) && (fact.originNodeId === null ? isOwn : fact.originNodeId === origin);

/** Returns true if a cover ends a fact of its triple and place. */
export const endsFact = (
  { hlc, speaker, named }: Pick<Cover, 'hlc' | 'speaker' | 'named'>,
  fact: Named & Pick<StoredFact, 'hlc' | 'speaker'>,
): boolean =>
  compareHlc(hlc, fact.hlc) > 0 &&
  (speaker === null || speaker === fact.speaker) &&
  (named === null || isNamed(named, fact));
