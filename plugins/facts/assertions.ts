import {
  type BodyItem,
  contentId,
  type FactDraft,
  type Facts,
  matchKey,
  memberRefusal,
  type NodeSelf,
  type Principal,
  reservedNameOf,
  ServiceError,
  type StoredFact,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import { CLIENT_ASSERTION } from './client-assertion.ts';
import { type AssertBody, readAssertBody } from './read-assert-body.ts';
import { refuseGarden } from './refuse-garden.ts';
import type { SessionGuard } from './session-guard.ts';
import { isTtlRelation, ttlRefusal, ttlTarget } from './ttl.ts';
import type { VerifySignature } from './verify-signature.ts';

/** One body on its way to becoming a draft; `path` is how errors name it. */
export interface AssertionInput {
  readonly item: BodyItem;
  readonly path: string;
}

export interface AssertionContext {
  readonly caller: Principal;
  /** From the session header, null without one. */
  readonly sessionId: string | null;
}

export interface AssertionParts {
  readonly facts: Facts;
  readonly self: NodeSelf;
  nowMs(): number;
  readonly verifySignature: VerifySignature;
  /** Absent while the session guard is off. */
  readonly sessionGuard: Pick<SessionGuard, 'check'> | undefined;
}

/**
 * Turns bodies into drafts, each with its own outcome: a draft ready to be appended, or the error that refuses it. Checks run in the order of
 * wire contract 4.2, up to the ones that belong into the transaction.
 */
export type PrepareAssertions = (
  inputs: readonly AssertionInput[],
  context: AssertionContext,
) => Promise<readonly (FactDraft | ServiceError)[]>;

export const createPrepareAssertions =
  (parts: AssertionParts): PrepareAssertions =>
  async (inputs, context) => {
    const permitted: (Permitted | ServiceError)[] = [];
    for (const input of inputs) {
      try {
        const outcome = permit(parts, input, context);
        permitted.push(outcome instanceof Promise ? await outcome : outcome);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        permitted.push(error);
      }
    }
    const ids = namedIds(permitted);
    const seen = ids.length === 0 ? NOTHING : await lookUp(parts.facts, ids, context.caller);
    return permitted.map((body) => (body instanceof ServiceError ? body : complete(body, context, seen)));
  };

/** A body whose caller may make such an assertion. */
interface Permitted {
  readonly body: AssertBody;
  readonly path: string;
  readonly attestedKeyId: string | null;
  /** Id of the fact whose life it bounds, null for every other assertion. */
  readonly ttlTarget: string | null;
}

/** Waits only for what takes time: most assertions are not signed, and most nodes run without the guard. */
const permit = (
  parts: AssertionParts,
  { item, path }: AssertionInput,
  context: AssertionContext,
): Permitted | Promise<Permitted> => {
  if ('error' in item) throw item.error;
  const body = readAssertBody(item.value, path, parts.nowMs());
  const signer = parts.verifySignature(body, context.caller, path);
  const { sessionGuard } = parts;
  if (signer === null && sessionGuard === undefined) return authorise(parts, body, path, context.caller, null);
  return permitSlowly(parts, body, path, context, signer);
};

const permitSlowly = async (
  parts: AssertionParts,
  body: AssertBody,
  path: string,
  { caller, sessionId }: AssertionContext,
  signer: Promise<string> | null,
): Promise<Permitted> => {
  const permitted = authorise(parts, body, path, caller, signer === null ? null : await signer);
  await parts.sessionGuard?.check(body, sessionId, caller);
  return permitted;
};

const authorise = (
  { self: { names } }: AssertionParts,
  body: AssertBody,
  path: string,
  caller: Principal,
  attestedKeyId: string | null,
): Permitted => {
  const { entity, relation, source, scope, value } = body.draft;
  const relationKey = matchKey(relation, names);
  const keys = { entityKey: matchKey(entity, names), relationKey, sourceKey: matchKey(source, names) };
  const reserved = reservedNameOf(keys, names);
  if (reserved !== null) throw new ServiceError('reserved_namespace', reserved);
  if (!caller.allowedScopes.has(scope)) {
    throw new ServiceError('authorization', `the key may not write to scope ${scope}`);
  }
  if (body.garden !== null) throw refuseGarden(caller);
  if (value.interpretAs === 'instruction' && !caller.permissions.has('instruction:write')) {
    throw new ServiceError(
      'instruction_write_required',
      'asserting an instruction needs the permission instruction:write',
    );
  }
  return { body, path, attestedKeyId, ttlTarget: isTtlRelation(relationKey, names) ? ttlTarget(entity, names) : null };
};

/** Ids of all facts that the bodies name, each once. */
const namedIds = (bodies: readonly (Permitted | ServiceError)[]): readonly string[] => {
  const ids = new Set<string>();
  for (const entry of bodies) {
    if (entry instanceof ServiceError) continue;
    if (entry.ttlTarget !== null) ids.add(entry.ttlTarget);
    for (const derivation of entry.body.derivations) if ('factId' in derivation) ids.add(derivation.factId);
  }
  return [...ids];
};

/** Ids in one query; a batch may name a hundred thousand. */
const LOOK_UP_CHUNK = 1000;
const NOTHING: ReadonlyMap<string, StoredFact> = new Map();

/** Reads those of the facts that the caller may see, from one snapshot. */
const lookUp = (facts: Facts, ids: readonly string[], caller: Principal): Promise<ReadonlyMap<string, StoredFact>> =>
  facts.read(caller, 'get', async (reader) => {
    const seen = new Map<string, StoredFact>();
    for (let at = 0; at < ids.length; at += LOOK_UP_CHUNK) {
      for (const fact of await reader.visible(ids.slice(at, at + LOOK_UP_CHUNK))) seen.set(fact.id, fact);
    }
    return seen;
  });

const complete = (
  { body, path, attestedKeyId, ttlTarget: target }: Permitted,
  { caller, sessionId }: AssertionContext,
  seen: ReadonlyMap<string, StoredFact>,
): FactDraft | ServiceError => {
  if (target !== null) {
    const refusal = ttlRefusal(body.draft, seen.get(target), caller, path);
    if (refusal !== null) return refusal;
  }
  // A reference that the writer cannot read leads nowhere, for the writer as for everybody else.
  const derivedFrom = body.derivations.map((derivation) =>
    'hash' in derivation
      ? derivation.hash
      : (seen.get(derivation.factId)?.cid ?? `sha256:${sha256Hex(derivation.factId)}`),
  );
  if (derivedFrom.length > 0 && derivedFrom.includes(contentId(body.draft))) {
    const problem = 'must not name the content id of the fact itself';
    return memberRefusal(`${path}.derived_from`, problem, 'provenance_cycle_detected');
  }
  const { entity, relation, value, source, confidence, scope, validUntil, timestamp } = body.draft;
  // Written out: a spread costs more than all the checks above.
  return {
    entity,
    relation,
    value,
    source,
    confidence,
    scope,
    validUntil: validUntil ?? null,
    timestamp: timestamp ?? null,
    derivedFrom,
    sessionId,
    attestedKeyId,
    notes: CLIENT_ASSERTION,
  };
};
