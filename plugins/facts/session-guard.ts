import {
  all,
  type Clock,
  equals,
  type FactReader,
  type Facts,
  isIn,
  type PluginSnapshot,
  type PluginTables,
  type Principal,
  type Scope,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import type { SessionReads } from './facts-api.ts';
import { SESSION_READS_TABLE } from './facts-migrations.ts';
import { FEEDBACK_LOOP_PROVENANCE_REQUIRED } from './facts-words.ts';
import type { Derivation } from './read-derivations.ts';

/** The time for which a read restricts the later writes of its session. */
const SESSION_MEMORY_MS = 24 * 60 * 60 * 1000;

/** A repeated read of one scope is stored at most this often, so the restriction may last that much longer. */
const REFRESH_MS = 60_000;
const MAX_FRESH = 10_000;

export interface GuardedAssertion {
  readonly sessionId: string | null;
  readonly scope: Scope;
  /** True if the assertion declares itself a summary of its source facts. */
  readonly isSummary: boolean;
  readonly derivations: readonly Derivation[];
}

export interface SessionGuard extends SessionReads {
  /**
   * Refuses an assertion into a scope that its session has read, unless it is a summary with a visible source fact of
   * that scope. Reads from the given snapshot or transaction.
   */
  check(assertion: GuardedAssertion, caller: Principal, snapshot: PluginSnapshot): Promise<ServiceError | null>;
  /** Deletes sessions that have read nothing for a day. */
  purge(): Promise<void>;
}

export interface SessionGuardParts {
  readonly tables: PluginTables;
  readonly facts: Facts;
  readonly clock: Clock;
}

export const createSessionGuard = ({ tables, facts, clock }: SessionGuardParts): SessionGuard => {
  const fresh = new Map<string, number>();
  const isFresh = (key: string): boolean => (fresh.get(key) ?? Number.NEGATIVE_INFINITY) > clock.nowMs() - REFRESH_MS;
  return {
    async returned(sessionId, caller, views) {
      if (sessionId === null || views.length === 0) return;
      const keyOf = (scope: Scope) => JSON.stringify([caller.tenantId, caller.entityUri, sessionId, scope]);
      const scopes = [...new Set(views.map(({ fact }) => fact.scope))].filter((scope) => !isFresh(keyOf(scope)));
      if (scopes.length === 0) return;
      const nowMs = clock.nowMs();
      const rows = scopes.map((scope) => ({ ...nameOf(caller, sessionId), scope, read_ms: nowMs }));
      await tables.write(caller.tenantId, async (writable) => {
        await writable(SESSION_READS_TABLE)
          .insert(rows)
          .onConflict(['tenant_id', 'entity_uri', 'session_id', 'scope'])
          .merge(['read_ms']);
      });
      if (fresh.size >= MAX_FRESH) fresh.clear();
      for (const scope of scopes) fresh.set(keyOf(scope), nowMs);
    },
    async check({ sessionId, scope, isSummary, derivations }, caller, snapshot) {
      if (sessionId === null) return null;
      const rows = await tables.in(snapshot).select(SESSION_READS_TABLE, whereOf(tables, caller, sessionId));
      const since = clock.nowMs() - SESSION_MEMORY_MS - REFRESH_MS;
      const hasRead = rows.some((row) => row['scope'] === scope && Number(row['read_ms']) > since);
      if (!hasRead) return null;
      const namesOne = () => facts.readIn(snapshot, caller, 'get', (reader) => namesFactOf(scope, derivations, reader));
      if (isSummary && derivations.length > 0 && (await namesOne())) return null;
      return new ServiceError(
        FEEDBACK_LOOP_PROVENANCE_REQUIRED,
        `this session has read scope ${scope} and may write to it only with provenance`,
        { hint: 'send write_mode summarize_with_provenance and name a fact of that scope in derived_from' },
      );
    },
    async purge() {
      const before = clock.nowMs() - SESSION_MEMORY_MS - REFRESH_MS;
      await tables(SESSION_READS_TABLE).where('read_ms', '<=', before).delete();
    },
  };
};

const nameOf = (caller: Principal, sessionId: string) => ({
  tenant_id: caller.tenantId,
  entity_uri: caller.entityUri,
  session_id: sessionId,
});

const whereOf = (tables: PluginTables, caller: Principal, sessionId: string) => ({
  ...nameOf(caller, sessionId),
  session_id: tables.hide(caller.tenantId, SESSION_READS_TABLE, 'session_id', sessionId),
});

const namesFactOf = async (scope: Scope, derivations: readonly Derivation[], reader: FactReader): Promise<boolean> => {
  const hashes = derivations.flatMap((derivation) => ('hash' in derivation ? [derivation.hash] : []));
  const ids = derivations.flatMap((derivation) => ('factId' in derivation ? [derivation.factId] : []));
  const only = { view: 'visible', order: 'hlc', limit: 1 } as const;
  for (const named of [isIn('cid', hashes), isIn('id', ids)]) {
    if ((await reader.find(all(named, equals('scope', scope)), only)).length > 0) return true;
  }
  return false;
};
