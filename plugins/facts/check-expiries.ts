import { grouped, parseDateOrInstant } from '../../kernel/internal-api.ts';
import {
  all,
  compareHlc,
  equals,
  isIn,
  matchKey,
  type PluginSnapshot,
  type PluginTables,
  type ServiceNames,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { StoreCheck } from '../backup/backup-api.ts';
import { ttlTarget } from './ttl-target.ts';

type Expiry = Awaited<ReturnType<PluginSnapshot['expiriesAfter']>>[number];

/** The maximum number of expiries per page, and of facts that are read for their times-to-live. */
const EXPIRIES = 200;
const FACTS = 2_000;

const HINT = 'somebody changed the store past the node, or the disk is damaged: restore a backup';

/** Checks that each fact expires at the instant that its newest time-to-live sets. */
export const createExpiryCheck = (tables: PluginTables, names: ServiceNames): StoreCheck => ({
  name: 'expiries',
  summary: 'each time-to-live that was given counts, and no other does',
  begin: (report) => ({
    async page({ tenantId, facts, snapshot }) {
      const given = facts.filter(({ system, relationKey }) => system && relationKey === names.meta('ttl'));
      for (const id of await withoutEffect(given, names, snapshot)) {
        report.find({ tenantId, message: `the time-to-live ${id} has no effect`, hint: HINT });
      }
    },
    async end(tenantId) {
      for (let after: string | undefined = ''; after !== undefined; ) {
        const from: string = after;
        after = await tables.read(async (_own, snapshot) => {
          const expiries = await snapshot.expiriesAfter(tenantId, from, EXPIRIES);
          for (const factId of await unfounded(expiries, names, snapshot)) {
            const message = `no time-to-live says when the fact ${factId} expires`;
            report.find({ tenantId, message, hint: HINT });
          }
          return expiries.length < EXPIRIES ? undefined : expiries.at(-1)?.factId;
        });
      }
    },
  }),
});

/** Returns the ids of times-to-live that have no effect, although no later one replaced them. */
const withoutEffect = async (
  given: readonly StoredFact[],
  names: ServiceNames,
  snapshot: PluginSnapshot,
): Promise<string[]> => {
  // A time-to-live that was received from another node has no effect here.
  const own = given.filter((fact) => fact.receivedFrom === null && fact.confidence > 0 && endOf(fact) !== null);
  if (own.length === 0) return [];
  const targets = own.map((fact) => ({ tenantId: fact.tenantId, id: ttlTarget(fact.entity, names) }));
  const known = new Map((await snapshot.expiries(targets)).map((expiry) => [expiry.factId, expiry]));
  return own.flatMap((fact) => {
    const expiry = known.get(ttlTarget(fact.entity, names));
    return expiry !== undefined && compareHlc(expiry.hlc, fact.hlc) >= 0 ? [] : [fact.id];
  });
};

/** Returns the ids of facts whose stored expiry comes from no time-to-live. */
const unfounded = async (
  expiries: readonly Expiry[],
  names: ServiceNames,
  snapshot: PluginSnapshot,
): Promise<string[]> => {
  const [first] = expiries;
  if (first === undefined) return [];
  const keys = expiries.flatMap(({ factId }) => [matchKey(factId, names), matchKey(names.factEntity(factId), names)]);
  const filter = all(
    equals('tenantId', first.tenantId),
    isIn('entityKey', keys),
    equals('relationKey', names.meta('ttl')),
    equals('system', true),
  );
  const given = await snapshot.find({ filter, order: 'hlc', limit: FACTS });
  if (given.length === FACTS && expiries.length > 1) {
    const middle = expiries.length >> 1;
    const [some, others] = [expiries.slice(0, middle), expiries.slice(middle)];
    return [...(await unfounded(some, names, snapshot)), ...(await unfounded(others, names, snapshot))];
  }
  const byTarget = grouped(given, ({ entity }) => ttlTarget(entity, names));
  return expiries.flatMap((expiry) =>
    (byTarget.get(expiry.factId) ?? []).some((fact) => isFrom(expiry, fact)) ? [] : [expiry.factId],
  );
};

/** Compares only the stamp of an erased time-to-live, because erasure removes the instant in its value. */
const isFrom = ({ hlc, expiresMs }: Expiry, fact: StoredFact): boolean =>
  compareHlc(hlc, fact.hlc) === 0 && (fact.cid === '' || endOf(fact) === expiresMs);

const endOf = ({ value }: StoredFact): number | null =>
  value.type === 'datetime' ? parseDateOrInstant(String(value.v)) : null;
