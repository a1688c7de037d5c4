import { type FactSearch, parseHlc, readRelation, recomputedCid, refuseGarden } from '../../kernel/internal-api.ts';
import {
  above,
  all,
  type FactReader,
  type Facts,
  type Filter,
  type GardenAccess,
  type HookCaller,
  isNull,
  memberRefusal,
  type Principal,
  readEntityUri,
  requirePermission,
  requireReadScope,
  SCOPES,
  ServiceError,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import { narrowingFilter, readNarrowing } from './fact-narrowing.ts';
import { noSuchFact, readFactId, readFactReference } from './fact-reference.ts';
import {
  type FactAnswer,
  type FactQuestion,
  type IntactFacts,
  type Queries,
  queryAnswer,
  type SessionReads,
} from './facts-api.ts';
import { markEnded } from './mark-ended.ts';
import { readSessionName } from './read-session.ts';
import { walkDerivations } from './walk-derivations.ts';

export interface QueryParts {
  readonly facts: Facts;
  readonly hooks: HookCaller;
  readonly intact: IntactFacts;
  readonly sessionReads: SessionReads;
  readonly gardens: GardenAccess | undefined;
  readonly names: ServiceNames;
}

export const createQueries = ({ facts, hooks, intact, sessionReads, gardens, names }: QueryParts): Queries => ({
  async page(caller, question, { sessionId = null, notes, limit, position, withLifetime = false }) {
    requirePermission(caller, 'read');
    const search = readQuestion(question, caller, names);
    const { members, ...page } = await facts.read(
      caller,
      'query',
      async (reader) => {
        const { snapshot } = reader;
        const garden = question.garden?.trim();
        const entered = garden === undefined ? undefined : await gardens?.enter(garden, caller, snapshot);
        if (garden !== undefined && entered === undefined) throw refuseGarden(caller);
        const found = await reader.query({ ...search, gardenId: entered?.id, limit, position });
        const added = await hooks.collect(queryAnswer, { question, facts: found.facts, reader, notes });
        const lifetime = withLifetime ? await lifetimeOf(reader, question, hooks) : undefined;
        const mayHaveEnded = search.includeContradicted === true || search.includeRetracted === true;
        const shown = mayHaveEnded ? await markEnded(reader, found.facts) : found.facts;
        return { ...found, facts: shown, members: Object.assign({}, ...added) as Record<string, unknown>, lifetime };
      },
      notes,
    );
    const whole = await intact.keepIntact(page.facts, caller);
    await sessionReads.returned(sessionId, caller, whole);
    const isWhole = whole.length === page.facts.length;
    return { ...page, facts: whole, members, lifetime: isWhole ? page.lifetime : undefined };
  },
  async get(caller, text, { sessionId = null, notes } = {}) {
    requirePermission(caller, 'read');
    const reference = readFactReference(text);
    const view = await facts.read(
      caller,
      'get',
      async (reader) => {
        const found = await ('id' in reference ? reader.get(reference.id) : reader.newestByCid(reference.cid));
        return found && (await markEnded(reader, [found]))[0];
      },
      notes,
    );
    if (view === undefined) throw noSuchFact();
    intact.requireIntact(view);
    await sessionReads.returned(sessionId, caller, [view]);
    return view;
  },
  async provenance(caller, text, { depth, notes }) {
    requirePermission(caller, 'read');
    const id = readFactId(text);
    const walk = async (reader: FactReader) => {
      const view = await reader.get(id);
      if (view === undefined) throw hiddenRoot(caller);
      // Following references does not need a matching content id, so only a damaged row is refused here.
      if (view.fact.damage !== undefined) intact.requireIntact(view);
      return { root: view.fact, ...(await walkDerivations(reader, view.fact, depth)) };
    };
    return facts.read(caller, 'provenance', walk, notes);
  },
  async verifyCid(caller, text, given) {
    requirePermission(caller, 'read');
    const id = readFactId(text);
    const view = await facts.read(caller, 'get', (reader) => reader.get(id));
    if (view === undefined) throw noSuchFact();
    const { cid: stored } = view.fact;
    const computed = recomputedCid(view.fact);
    return { isStoredValid: computed === stored, isMatch: (given ?? stored) === computed, computed, stored };
  },
  countWithoutCid(caller) {
    requirePermission(caller, 'admin');
    return facts.read(caller, 'query', async (reader) => {
      const { snapshot } = reader;
      const visible = await reader.constraint('visible');
      return { total: await snapshot.count(visible), pending: await snapshot.count(all(visible, isNull('cid'))) };
    });
  },
});

/**
 * Returns a lifetime only for questions about one entity. No cheap rule tells when an answer about many entities
 * changes.
 */
const lifetimeOf = async (
  reader: FactReader,
  { entity, garden }: FactQuestion,
  hooks: HookCaller,
): Promise<FactAnswer['lifetime']> => {
  if (entity === undefined || garden !== undefined || hooks.hasHandlers(queryAnswer)) return undefined;
  return { fromMs: reader.nowMs, untilMs: await reader.cacheableUntil(readEntityUri(entity, 'query.entity')) };
};

const readQuestion = (question: FactQuestion, caller: Principal, names: ServiceNames): Omit<FactSearch, 'limit'> => {
  const { entity, relation, source, scope, session } = question;
  const search = {
    entity: entity === undefined ? undefined : readEntityUri(entity, 'query.entity'),
    relation: relation === undefined ? undefined : readRelation(relation, 'query.relation'),
    source: source === undefined ? undefined : readEntityUri(source, 'query.source'),
    scope,
    minConfidence: question.minConfidence,
    attested: question.attested,
    session: session === undefined ? undefined : readSessionFilter(session, caller),
    includeContradicted: question.includeContradicted,
    includeExpired: question.includeExpired,
    includeRetracted: question.includeRetracted,
    filter: filterOf(question, caller, names),
  };
  if (scope !== undefined) requireReadScope(caller, scope);
  return search;
};

/** Session names are private to each caller: two callers with the same session name share no session. */
const readSessionFilter = (text: string, caller: Principal): FactSearch['session'] => {
  const id = readSessionName(text, 'query.session');
  if (id === null) throw memberRefusal('query.session', 'must not be empty', 'bad_parameter');
  return caller.permissions.has('admin') ? { id } : { id, assertedBy: caller.entityUri };
};

/**
 * Returns the filters of a question. An instant in `after` filters by `valid_from`, or by the timestamp of a fact
 * without it. A clock stamp filters by the stamp of the fact.
 */
const filterOf = (question: FactQuestion, caller: Principal, names: ServiceNames): Filter | undefined => {
  const stamp = question.after === undefined ? null : parseHlc(question.after);
  const given = stamp === null ? question : { ...question, after: undefined };
  const narrowed = readNarrowing(given, { caller, names, place: 'query' });
  const filters = [
    ...(stamp === null ? [] : [above('hlc', stamp)]),
    ...(narrowed === undefined ? [] : [narrowingFilter(narrowed)]),
  ];
  return filters.length === 0 ? undefined : all(...filters);
};

/** Returns the same refusal for an unknown root fact and a hidden one. Only callers who see every fact get a 404. */
const hiddenRoot = (caller: Principal): ServiceError => {
  const seesEverything = caller.permissions.has('admin') && SCOPES.every((scope) => caller.allowedScopes.has(scope));
  if (seesEverything) return noSuchFact();
  return new ServiceError('authorization', 'the fact does not exist or is not readable with this key');
};
