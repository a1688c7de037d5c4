import { decodeBase64Url, keyIdOf, type SignatureCheck } from '../../../kernel/internal-api.ts';
import { type Clock, matchKey, type NodeSelf, parseInstant, type SignatureWork } from '../../../kernel/plugin-api.ts';
import type { Tenancy } from '../../multi-tenant/multi-tenant-api.ts';
import type { NodeIdentity, NodeInfo } from '../../node-info/node-info-api.ts';
import type { Peering, PeerKey } from '../peerings/peering.ts';
import type { Peerings } from '../peerings/peerings.ts';
import type { FederatedFact, OriginProof, ProofVerdict } from './origin-proof.ts';
import { commitmentsOf, originStatement, readSalt, type Salts } from './origin-statement.ts';
import { isMarkedFor, MARK_PURPOSE, type MarkedFact } from './tenant-mark.ts';

export interface JudgingParts {
  readonly self: Pick<NodeSelf, 'nodeId' | 'names'>;
  readonly identity: Pick<NodeIdentity, 'publicKey' | 'retired' | 'deriveSecret'>;
  /** Undefined on a node with one tenant. */
  readonly tenancy: Pick<Tenancy, 'isOn'> | undefined;
  /** Lists the past and present signing keys of this node's other processes. */
  readonly info: Pick<NodeInfo, 'metadata'>;
  readonly peerings: Pick<Peerings, 'withNodes'>;
  readonly work: SignatureWork;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** True if relayed facts need a proof even when their origin's keys are unknown. */
  readonly requireProof: boolean;
}

type Key = PeerKey;

/** The number of facts whose statements are built before other work gets a turn of the event loop. */
const FACTS_AT_ONCE = 64;
/** The number of characters of their values per turn, because one value may have a mebibyte. */
const CHARACTERS_AT_ONCE = 1024 * 1024;

/**
 * Verifies the proofs of facts from one sender, in order, with keys that this node already has. A key that has ended
 * verifies only facts that come directly from their origin; with `onlyCurrent`, it verifies none.
 */
export const judgeProofs = async (
  parts: JudgingParts,
  facts: readonly FederatedFact[],
  sender: Peering,
  onlyCurrent = false,
): Promise<readonly ProofVerdict[]> => {
  const keys = await keysOfOrigins(parts, facts, sender);
  const verdicts: ProofVerdict[] = [];
  for (const portion of portionsOf(facts)) {
    const found = portion.map((fact) => judgeAlone(parts, fact, sender, { keys, onlyCurrent }));
    const checks = found.filter((one) => typeof one === 'object');
    const good = await parts.work.verifyAll(checks);
    let at = 0;
    for (const one of found) {
      if (typeof one === 'string') verdicts.push(one);
      else verdicts.push(good[at++] === true ? 'verified' : 'invalid');
    }
  }
  return verdicts;
};

/** Returns a result that needs no signature check. */
const judgeAlone = (
  parts: JudgingParts,
  { draft, proof, originNodeId }: FederatedFact,
  sender: Peering,
  { keys, onlyCurrent }: { readonly keys: ReadonlyMap<string, readonly Key[]>; readonly onlyCurrent: boolean },
): ProofVerdict | SignatureCheck => {
  const { self, clock, requireProof } = parts;
  const origin = originNodeId ?? sender.nodeId;
  const originKey = matchKey(origin, self.names);
  const known = keys.get(originKey) ?? [];
  const isRelayed = originKey !== matchKey(sender.nodeId, self.names);
  const isNeeded = isRelayed && (requireProof || known.length > 0);
  if (proof === null) return isNeeded ? 'missing' : 'absent';
  const read = readProof(proof);
  if (read === null) return 'invalid';
  if (known.length === 0) return isNeeded ? 'missing' : 'unverified';
  const key = known.find(({ keyId }) => keyId === proof.keyId);
  const isOwn = originKey === matchKey(self.nodeId, self.names);
  if (key === undefined) return isOwn ? 'invalid' : 'unknown-key';
  if (isOwn && !isOfTenant({ tenantId: sender.tenantId, id: draft.id }, key, read, parts)) return 'invalid';
  // Somebody who has stolen an ended key could sign new facts with old stamps, so it verifies no relayed facts.
  const hasEnded = key.validUntilMs !== null && (onlyCurrent || key.validUntilMs <= clock.nowMs());
  if (hasEnded && (onlyCurrent || isRelayed)) return 'ended-key';
  const commitments = commitmentsOf({ value: draft.value, derivedFrom: draft.derivedFrom ?? [] }, read);
  const { validFrom = null, validUntil = null, replaces = [] } = draft;
  const stated = { ...draft, validFrom, validUntil, replaces };
  const { publicKey } = key;
  return { publicKey, bytes: originStatement(stated, commitments, origin), signature: read.signature };
};

/**
 * Returns true if this node has signed the fact for this tenant. Otherwise a peer could bring a fact of one tenant to
 * another one, where it would count as a fact of the node itself.
 */
const isOfTenant = (
  fact: MarkedFact,
  { keyId }: Key,
  { refsSalt }: Salts,
  { identity, tenancy }: Pick<JudgingParts, 'identity' | 'tenancy'>,
): boolean => {
  // With one tenant there is no other one. Proofs of older versions have no mark.
  if (tenancy?.isOn !== true) return true;
  const keys = [identity, ...identity.retired];
  const signer = keys.find(({ publicKey }) => keyIdOf(decodeBase64Url(publicKey) as Uint8Array) === keyId);
  return signer !== undefined && isMarkedFor(refsSalt, fact, signer.deriveSecret(MARK_PURPOSE));
};

/** Reads the members of a proof. Returns null for a malformed one. */
const readProof = (proof: OriginProof): (Salts & { readonly signature: Uint8Array }) | null => {
  const [salt, refsSalt] = [readSalt(proof.salt), readSalt(proof.refsSalt)];
  const signature = decodeBase64Url(proof.signature);
  if (salt === null || refsSalt === null || signature?.length !== SIGNATURE_BYTES) return null;
  return KEY_ID.test(proof.keyId) ? { salt, refsSalt, signature } : null;
};

const SIGNATURE_BYTES = 64;
const KEY_ID = /^[0-9a-f]{16}$/;

/**
 * Returns keys by the match key of their node id, so that another spelling of a known node does not count as an unknown
 * one. For this node it returns only its own keys.
 */
const keysOfOrigins = async (
  parts: JudgingParts,
  facts: readonly FederatedFact[],
  sender: Peering,
): Promise<ReadonlyMap<string, readonly Key[]>> => {
  const { self, peerings } = parts;
  const keyOfNode = (nodeId: string): string => matchKey(nodeId, self.names);
  const keys = new Map<string, readonly Key[]>([[keyOfNode(sender.nodeId), sender.keys]]);
  const origins = new Map(facts.flatMap(({ originNodeId: id }) => (id === null ? [] : [[keyOfNode(id), id] as const])));
  const own = keyOfNode(self.nodeId);
  if (origins.has(own) || keys.has(own)) keys.set(own, await ownKeys(parts));
  const others = [...origins].flatMap(([key, nodeId]) => (keys.has(key) ? [] : [nodeId]));
  if (others.length === 0) return keys;
  for (const peering of (await peerings.withNodes(sender.tenantId, others)).values()) {
    keys.set(keyOfNode(peering.nodeId), peering.keys);
  }
  return keys;
};

/** Returns all keys with which any process of this node has ever signed. */
const ownKeys = async ({ identity, info }: JudgingParts): Promise<readonly Key[]> => {
  const { federation_keys: listed } = await info.metadata();
  const ends = new Map(listed.map((key) => [key.public_key, key.valid_until]));
  const texts = [identity, ...identity.retired].map(({ publicKey }) => publicKey);
  return [...new Set([...texts, ...ends.keys()])].map((text) => {
    const publicKey = decodeBase64Url(text) as Uint8Array;
    const end = ends.get(text) ?? null;
    return { publicKey, keyId: keyIdOf(publicKey), validUntilMs: end === null ? null : parseInstant(end) };
  });
};

function* portionsOf(facts: readonly FederatedFact[]): Generator<readonly FederatedFact[]> {
  let portion: FederatedFact[] = [];
  let characters = 0;
  for (const fact of facts) {
    const { v } = fact.draft.value;
    const more = typeof v === 'string' ? v.length : 0;
    if (portion.length >= FACTS_AT_ONCE || (portion.length > 0 && characters + more > CHARACTERS_AT_ONCE)) {
      yield portion;
      portion = [];
      characters = 0;
    }
    portion.push(fact);
    characters += more;
  }
  if (portion.length > 0) yield portion;
}
