import { contentId, parseHlc } from '../../../kernel/internal-api.ts';
import {
  all,
  equals,
  type FactOutline,
  type Hlc,
  isIn,
  matchKey,
  type NodeSelf,
  type PluginSnapshot,
  parseInstant,
} from '../../../kernel/plugin-api.ts';
import type { FederatedFact, OriginProofs } from '../proofs/origin-proof.ts';
import { isSameTuple, type Validity } from './same-tuple.ts';

type Said = Pick<
  FactOutline,
  'id' | 'cid' | 'timestampMs' | 'hlc' | 'hlcText' | 'derivedFrom' | 'replaces' | keyof Validity
>;

/** A fact of this node that has the same id at its origin as an arriving fact. */
export interface Namesake {
  /** `id` is the local id. */
  readonly said: Said;
  /**
   * The match keys of the node that the fact names as its origin, and of the sender. The sender is null for a fact
   * first stored here.
   */
  readonly originKey: string;
  readonly senderKey: string | null;
  /** True if the origin has signed the fact, or this node is the origin. */
  readonly isProven: boolean;
}

export interface NamesakeParts {
  readonly self: Pick<NodeSelf, 'nodeId' | 'names'>;
  readonly proofs: Pick<OriginProofs, 'verifiedAmong'>;
}

export interface Namesakes {
  /** The stored facts by their id at their origins. */
  readonly byOriginId: ReadonlyMap<string, readonly Namesake[]>;
  /** Local ids that belong to facts with another id at their origin. */
  readonly taken: ReadonlySet<string>;
}

/** Returns the stored facts that have these ids at their origins. */
export const readNamesakes = async (
  ids: readonly string[],
  tenantId: string,
  snapshot: PluginSnapshot,
  { self, proofs }: NamesakeParts,
): Promise<Namesakes> => {
  if (ids.length === 0) return { byOriginId: new Map(), taken: new Set() };
  const ofTenant = equals('tenantId', tenantId);
  // Two statements, because each uses its own index. The second one finds nothing on nearly every node.
  const [named, renamed] = await Promise.all([
    snapshot.outline(all(ofTenant, isIn('id', ids))),
    snapshot.outline(all(ofTenant, isIn('originId', ids))),
  ]);
  const found = [...named.filter(({ originId }) => originId === null), ...renamed];
  const received = found.filter(({ receivedFrom }) => receivedFrom !== null).map(({ id }) => id);
  const verified = await proofs.verifiedAmong(received, tenantId, snapshot);
  const namesakes = new Map<string, Namesake[]>();
  for (const fact of found) {
    const id = fact.originId ?? fact.id;
    const namesake: Namesake = {
      said: fact,
      originKey: matchKey(fact.originNodeId ?? self.nodeId, self.names),
      senderKey: fact.receivedFrom === null ? null : matchKey(fact.receivedFrom, self.names),
      isProven: fact.receivedFrom === null || verified.has(fact.id),
    };
    namesakes.set(id, [...(namesakes.get(id) ?? []), namesake]);
  }
  const taken = new Set(named.filter(({ originId }) => originId !== null).map(({ id }) => id));
  return { byOriginId: namesakes, taken };
};

/** An arriving fact with the match keys of its origin and its sender. */
export interface Arrival {
  readonly fact: FederatedFact;
  readonly originKey: string;
  readonly senderKey: string;
  /** True if the origin has signed it. */
  readonly isProven: boolean;
}

/** Returns an accepted fact in the form in which later facts of its page are compared with it. */
export const namesakeOf = ({ fact: { draft }, ...nodes }: Arrival, id: string): Namesake => ({
  ...nodes,
  said: {
    id,
    cid: contentId(draft),
    timestampMs: parseInstant(draft.timestamp) ?? 0,
    hlc: parseHlc(draft.hlcText) as Hlc,
    hlcText: draft.hlcText,
    derivedFrom: draft.derivedFrom ?? [],
    replaces: draft.replaces ?? [],
    validFromMs: draft.validFrom == null ? null : parseInstant(draft.validFrom),
    validUntilMs: draft.validUntil == null ? null : parseInstant(draft.validUntil),
  },
});

/**
 * Returns the stored fact of the same origin that an arriving fact repeats; undefined without one. A fact that comes
 * directly from its origin repeats no copy from another sender, because it takes precedence over such copies.
 */
export const repeatedBy = (
  { fact, originKey, senderKey }: Omit<Arrival, 'isProven'>,
  namesakes: readonly Namesake[],
): Namesake | undefined => {
  const same = namesakes.filter((one) => one.originKey === originKey && isSameTuple(one.said, fact.draft));
  const known = same.find(({ isProven }) => isProven) ?? same.find((one) => one.senderKey === senderKey);
  if (known !== undefined || originKey !== senderKey) return known ?? same[0];
  // An erased copy stays erased.
  return same.find(({ said }) => said.cid === '');
};

/**
 * The relation of an arriving fact to its namesakes. `known`: the node has stored it. `collision`: its sender has sent
 * another fact under this id, or another fact with this id has a proof. `other`: a separate fact. `copies` are the
 * facts that it hides: its proof refutes them, or others sent them in the name of its origin.
 */
export type Relation =
  | { readonly kind: 'known'; readonly of: Namesake }
  | { readonly kind: 'collision' }
  | { readonly kind: 'other'; readonly copies: readonly Namesake[] };

/**
 * Compares an arriving fact with its namesakes. The identity of a proven fact is its origin and id, and that of another
 * fact its sender and id. The result does not depend on the order of arrival, because proven facts take precedence.
 */
export const relationOf = (arrival: Arrival, namesakes: readonly Namesake[]): Relation => {
  const { fact, originKey, senderKey, isProven } = arrival;
  const repeated = repeatedBy(arrival, namesakes);
  const ofOrigin = namesakes.filter((one) => one.originKey === originKey);
  if (isProven) {
    // An erased copy stays erased.
    if (repeated?.isProven || repeated?.said.cid === '') return { kind: 'known', of: repeated };
    if (ofOrigin.some((one) => one.isProven)) return { kind: 'collision' };
    return { kind: 'other', copies: namesakes.filter((one) => isCopyOf(one, originKey)) };
  }
  if (repeated !== undefined) return { kind: 'known', of: repeated };
  if (ofOrigin.some((one) => one.isProven)) return { kind: 'collision' };
  if (originKey !== senderKey) return { kind: 'other', copies: [] };
  const proven = namesakes.filter((one) => one.isProven);
  const stripped = proven.find(({ said }) => isSameTuple(said, fact.draft));
  if (stripped !== undefined) return { kind: 'known', of: stripped };
  const hasChanged = ofOrigin.some((one) => one.senderKey === senderKey);
  return proven.length > 0 || hasChanged ? { kind: 'collision' } : { kind: 'other', copies: ofOrigin };
};

/**
 * Returns true for an unproven fact that names this origin, or no origin but its sender. A fact that names a third node
 * is never a copy. Otherwise any peer could hide facts of nodes whose keys are unknown here, by signing facts with the
 * same ids.
 */
const isCopyOf = ({ isProven, originKey, senderKey }: Namesake, origin: string): boolean =>
  !isProven && (originKey === origin || originKey === senderKey);
