import {
  type BodyItem,
  contentId,
  type FactDraft,
  type Facts,
  matchKey,
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
import { checkTtl, isTtlRelation, ttlTarget } from './ttl.ts';
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
    for (const input of inputs) permitted.push(await outcomeOf(() => permit(parts, input, context)));
    const seen = await lookUp(parts.facts, permitted, context.caller);
    return Promise.all(
      permitted.map((body) => (body instanceof ServiceError ? body : outcomeOf(() => complete(body, context, seen)))),
    );
  };

/** A body whose caller may make such an assertion. */
interface Permitted {
  readonly body: AssertBody;
  readonly path: string;
  readonly attestedKeyId: string | null;
  /** Id of the fact whose life it bounds, null for every other assertion. */
  readonly ttlTarget: string | null;
}

const permit = async (
  parts: AssertionParts,
  { item, path }: AssertionInput,
  { caller, sessionId }: AssertionContext,
): Promise<Permitted> => {
  if ('error' in item) throw item.error;
  const { names } = parts.self;
  const body = readAssertBody(item.value, path, parts.nowMs());
  const attestedKeyId = await parts.verifySignature(body, caller, path);
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
  await parts.sessionGuard?.check(body, sessionId, caller);
  return { body, path, attestedKeyId, ttlTarget: isTtlRelation(relationKey, names) ? ttlTarget(entity, names) : null };
};

/** Ids in one query; a batch may name a hundred thousand. */
const LOOK_UP_CHUNK = 1000;
const NOTHING: ReadonlyMap<string, StoredFact> = new Map();

/** Reads every fact that the bodies name by id and the caller may see, from one snapshot. */
const lookUp = async (
  facts: Facts,
  bodies: readonly (Permitted | ServiceError)[],
  caller: Principal,
): Promise<ReadonlyMap<string, StoredFact>> => {
  const wanted = new Set<string>();
  for (const entry of bodies) {
    if (entry instanceof ServiceError) continue;
    if (entry.ttlTarget !== null) wanted.add(entry.ttlTarget);
    for (const derivation of entry.body.derivations) if ('factId' in derivation) wanted.add(derivation.factId);
  }
  if (wanted.size === 0) return NOTHING;
  const ids = [...wanted];
  return facts.read(caller, 'get', async (reader) => {
    const seen = new Map<string, StoredFact>();
    for (let at = 0; at < ids.length; at += LOOK_UP_CHUNK) {
      for (const fact of await reader.visible(ids.slice(at, at + LOOK_UP_CHUNK))) seen.set(fact.id, fact);
    }
    return seen;
  });
};

const complete = async (
  { body, path, attestedKeyId, ttlTarget: target }: Permitted,
  { caller, sessionId }: AssertionContext,
  seen: ReadonlyMap<string, StoredFact>,
): Promise<FactDraft> => {
  if (target !== null) checkTtl(body.draft, seen.get(target), caller, path);
  // A reference that the writer cannot read leads nowhere, for the writer as for everybody else.
  const derivedFrom = body.derivations.map((derivation) =>
    'hash' in derivation
      ? derivation.hash
      : (seen.get(derivation.factId)?.cid ?? `sha256:${sha256Hex(derivation.factId)}`),
  );
  if (derivedFrom.length > 0 && derivedFrom.includes(contentId(body.draft))) {
    const message = 'must not name the content id of the fact itself';
    throw new ServiceError('provenance_cycle_detected', `${path}.derived_from ${message}`, {
      violations: [{ path: `${path}.derived_from`, message }],
    });
  }
  return { ...body.draft, derivedFrom, sessionId, attestedKeyId, notes: CLIENT_ASSERTION };
};

/** The answer, or the refusal; a bug goes on as one. */
const outcomeOf = async <T>(work: () => Promise<T>): Promise<T | ServiceError> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
};
