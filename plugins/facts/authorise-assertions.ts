import {
  type AuthoriseBatch,
  type Facts,
  type GardenAccess,
  memberRefusal,
  noteOf,
  type Principal,
  type RefusableItem,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import { DERIVED_FROM } from './assertion-members.ts';
import { SummaryNote } from './facts-api.ts';
import { PROVENANCE_CYCLE_DETECTED } from './facts-words.ts';
import { AssertionNote } from './read-assertion.ts';
import type { SessionGuard } from './session-guard.ts';
import { ttlRefusal } from './ttl.ts';
import { ttlTarget } from './ttl-target.ts';

export interface AuthorisationParts {
  readonly facts: Facts;
  readonly names: ServiceNames;
  readonly gardens: GardenAccess | undefined;
  /** Undefined while the session guard is off. */
  readonly sessionGuard: Pick<SessionGuard, 'check'> | undefined;
}

/**
 * Refuses an assertion that sets a time-to-live for another caller's fact. Also refuses a fact derived from itself, and
 * an assertion that the session guard refuses.
 */
export const createAuthoriseAssertions = (parts: AuthorisationParts) => {
  const ttl = parts.names.meta('ttl');
  return (batch: AuthoriseBatch): Promise<void> | undefined => {
    const ttls: RefusableItem[] = [];
    const guarded: RefusableItem[] = [];
    for (const item of batch.items) {
      if (!item.open || !item.byClient) continue;
      const { fact } = item;
      if (fact.relationKey === ttl) ttls.push(item);
      if (fact.derivedFrom.length > 0) refuseCycle(item);
      if (parts.sessionGuard !== undefined && fact.sessionId !== null) guarded.push(item);
    }
    return ttls.length + guarded.length === 0 ? undefined : authorise(ttls, guarded, batch, parts);
  };
};

const authorise = async (
  ttls: readonly RefusableItem[],
  guarded: readonly RefusableItem[],
  batch: AuthoriseBatch,
  parts: AuthorisationParts,
): Promise<void> => {
  for (const caller of new Set(ttls.map((item) => item.caller))) {
    const own = ttls.filter((item) => item.caller === caller);
    await authoriseTtls(own, caller, batch, parts);
  }
  for (const item of guarded) {
    const { sessionId, scope, derivedFrom } = item.fact;
    const derivations = noteOf(item.notes, DERIVED_FROM.note) ?? derivedFrom.map((hash) => ({ hash }));
    const isSummary = noteOf(item.notes, SummaryNote) !== undefined;
    const assertion = { sessionId, scope, isSummary, derivations };
    const refusal = await parts.sessionGuard?.check(assertion, item.caller, batch.snapshot);
    if (refusal != null) item.reject(refusal, 'session');
  }
};

/** A resolution may equal one of the facts that it resolves, and then has the same content id. */
const refuseCycle = (item: RefusableItem): void => {
  const { cid, derivedFrom } = item.fact;
  if (noteOf(item.notes, AssertionNote) === undefined || !derivedFrom.includes(cid)) return;
  const problem = 'must not name the content id of the fact itself';
  item.reject(memberRefusal(`${item.path}.derived_from`, problem, PROVENANCE_CYCLE_DETECTED));
};

const authoriseTtls = (
  items: readonly RefusableItem[],
  caller: Principal,
  { snapshot }: AuthoriseBatch,
  { facts, names, gardens }: AuthorisationParts,
): Promise<void> =>
  facts.readIn(snapshot, caller, 'get', async (reader) => {
    const targetOf = ({ fact }: RefusableItem) => ttlTarget(fact.entity, names);
    const seen = new Map((await reader.visible(items.map(targetOf))).map((fact) => [fact.id, fact]));
    const gardenIds = new Set([...seen.values()].flatMap(({ gardenId }) => gardenId ?? []));
    const administered = await gardens?.administered([...gardenIds], caller, snapshot);
    const rights = { caller, administered: new Set(administered) };
    for (const item of items) {
      const refusal = ttlRefusal(item.fact, seen.get(targetOf(item)), { ...rights, path: item.path });
      if (refusal !== null) item.reject(refusal, 'target');
    }
  });
