import {
  type BodyItem,
  contentId,
  type FactDraft,
  type Facts,
  type GardenAccess,
  matchKey,
  memberRefusal,
  type NodeSelf,
  type Principal,
  referenceTo,
  refuseGarden,
  refuseGardenWrite,
  refuseInstruction,
  refuseNames,
  refuseScope,
  ServiceError,
  type StoredFact,
  ttlTarget,
} from '../../kernel/plugin-api.ts';
import { CLIENT_ASSERTION } from './client-assertion.ts';
import { PROVENANCE_CYCLE_DETECTED } from './facts-errors.ts';
import { type AssertBody, readAssertBody } from './read-assert-body.ts';
import type { SessionGuard } from './session-guard.ts';
import { isTtlRelation, ttlRefusal } from './ttl.ts';
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
  readonly gardens: GardenAccess | undefined;
}

/**
 * Turns bodies into drafts, each with its own outcome: a draft ready to be appended, or the error that refuses it.
 * Checks run in the order of wire contract 4.2, up to the ones that belong into the transaction.
 */
export type PrepareAssertions = (
  inputs: readonly AssertionInput[],
  context: AssertionContext,
) => Promise<readonly (FactDraft | ServiceError)[]>;

export const createPrepareAssertions =
  (parts: AssertionParts): PrepareAssertions =>
  async (inputs, context) => {
    const bodies: (Permitted | ServiceError)[] = [];
    for (const input of inputs) {
      try {
        const outcome = permit(parts, input, context);
        bodies.push(outcome instanceof Promise ? await outcome : outcome);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        bodies.push(error);
      }
    }
    const seen = await lookUp(parts, bodies, context.caller);
    return bodies.map((body) => (body instanceof ServiceError ? body : complete(body, context, seen)));
  };

/** A body whose caller may make such an assertion. */
interface Permitted {
  readonly body: AssertBody;
  readonly path: string;
  readonly attestedKeyId: string | null;
  readonly gardenId: string | null;
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
  requireSession(parts, body, path, context);
  const signer = parts.verifySignature(body, context.caller, path);
  const { sessionGuard } = parts;
  if (signer !== null || sessionGuard !== undefined || body.garden !== null)
    return permitSlowly(parts, body, path, context, signer);
  requirePlace(parts, body, context.caller);
  requireInstructionRight(body, context.caller);
  return permitted(parts, body, path, null, null);
};

/**
 * The header decides. A body that names another session is refused: the fact would belong to a session it did not ask
 * for (wire contract 1.11).
 */
const requireSession = (
  { self: { names } }: AssertionParts,
  body: AssertBody,
  path: string,
  context: AssertionContext,
): void => {
  if (body.sessionId === null || body.sessionId === context.sessionId) return;
  throw memberRefusal(`${path}.session_id`, `must be the same as the header ${names.headers.session}`);
};

const permitSlowly = async (
  parts: AssertionParts,
  body: AssertBody,
  path: string,
  { caller, sessionId }: AssertionContext,
  signer: Promise<string> | null,
): Promise<Permitted> => {
  const attestedKeyId = signer === null ? null : await signer;
  requirePlace(parts, body, caller);
  const gardenId = body.garden === null ? null : await enterGarden(parts, body, body.garden, path, caller);
  requireInstructionRight(body, caller);
  await requireProvenance(parts, body, sessionId, caller);
  return permitted(parts, body, path, attestedKeyId, gardenId);
};

/** Reserved names and the scope. */
const requirePlace = ({ self: { names } }: AssertionParts, { draft }: AssertBody, caller: Principal): void => {
  const { entity, relation, source, scope } = draft;
  const keys = {
    entityKey: matchKey(entity, names),
    relationKey: matchKey(relation, names),
    sourceKey: matchKey(source, names),
  };
  const refusal = refuseNames(keys, names) ?? refuseScope(scope, caller);
  if (refusal !== null) throw refusal;
};

/** The same is looked at again in the transaction that stores the fact; here it comes in its turn among the checks. */
const enterGarden = async (
  { facts, gardens, self: { names } }: AssertionParts,
  { draft }: AssertBody,
  name: string,
  path: string,
  caller: Principal,
): Promise<string> => {
  const garden = await facts.read(caller, 'get', async ({ snapshot }) => gardens?.enter(name, caller, snapshot));
  if (garden === undefined) throw refuseGarden(caller);
  const isTtl = isTtlRelation(matchKey(draft.relation, names), names);
  const refusal = isTtl ? null : refuseGardenWrite(garden, draft.scope, caller, path);
  if (refusal !== null) throw refusal;
  return garden.id;
};

const requireInstructionRight = ({ draft }: AssertBody, caller: Principal): void => {
  const refusal = refuseInstruction(draft.value, caller);
  if (refusal !== null) throw refusal;
};

const requireProvenance = async (
  { facts, sessionGuard }: AssertionParts,
  { draft, derivations, writeMode }: AssertBody,
  sessionId: string | null,
  caller: Principal,
): Promise<void> => {
  if (sessionGuard === undefined || sessionId === null) return;
  const isSummary = writeMode === 'summarize_with_provenance';
  const assertion = { sessionId, scope: draft.scope, isSummary, derivations };
  const refusal = await facts.read(caller, 'get', ({ snapshot }) => sessionGuard.check(assertion, caller, snapshot));
  if (refusal !== null) throw refusal;
};

const permitted = (
  { self: { names } }: AssertionParts,
  body: AssertBody,
  path: string,
  attestedKeyId: string | null,
  gardenId: string | null,
): Permitted => {
  const { entity, relation } = body.draft;
  const isTtl = isTtlRelation(matchKey(relation, names), names);
  return { body, path, attestedKeyId, gardenId, ttlTarget: isTtl ? ttlTarget(entity, names) : null };
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

/** What the store says about the facts that are named. */
interface LookedUp {
  /** Those that the caller may see, by id. */
  readonly facts: ReadonlyMap<string, StoredFact>;
  /** Gardens of theirs that the caller administers. */
  readonly administered: ReadonlySet<string>;
}

const NOTHING: LookedUp = { facts: new Map(), administered: new Set() };

/** Reads the named facts from one snapshot. */
const lookUp = async (
  { facts, gardens }: AssertionParts,
  bodies: readonly (Permitted | ServiceError)[],
  caller: Principal,
): Promise<LookedUp> => {
  const ids = namedIds(bodies);
  if (ids.length === 0) return NOTHING;
  return facts.read(caller, 'get', async (reader) => {
    const seen = new Map<string, StoredFact>();
    for (let at = 0; at < ids.length; at += LOOK_UP_CHUNK) {
      for (const fact of await reader.visible(ids.slice(at, at + LOOK_UP_CHUNK))) seen.set(fact.id, fact);
    }
    const inGardens = bodies.flatMap((body) =>
      body instanceof ServiceError || body.ttlTarget === null ? [] : (seen.get(body.ttlTarget)?.gardenId ?? []),
    );
    const administered =
      inGardens.length === 0 ? [] : await gardens?.administered([...new Set(inGardens)], caller, reader.snapshot);
    return { facts: seen, administered: new Set(administered) };
  });
};

const complete = (
  { body, path, attestedKeyId, gardenId, ttlTarget: target }: Permitted,
  { caller, sessionId }: AssertionContext,
  { facts: seen, administered }: LookedUp,
): FactDraft | ServiceError => {
  if (target !== null) {
    const refusal = ttlRefusal(body.draft, seen.get(target), { caller, administered, path });
    if (refusal !== null) return refusal;
  }
  const place = {
    scope: body.draft.scope,
    // Callers who see a fact see the times-to-live that speak of it.
    gardenId: target === null ? gardenId : (seen.get(target)?.gardenId ?? null),
  };
  const derivedFrom = body.derivations.map((derivation) =>
    'hash' in derivation ? derivation.hash : referenceTo(derivation.factId, seen.get(derivation.factId), place),
  );
  if (derivedFrom.length > 0 && derivedFrom.includes(contentId(body.draft))) {
    const problem = 'must not name the content id of the fact itself';
    return memberRefusal(`${path}.derived_from`, problem, PROVENANCE_CYCLE_DETECTED);
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
    gardenId: place.gardenId,
    derivedFrom,
    sessionId,
    attestedKeyId,
    notes: CLIENT_ASSERTION,
  };
};
