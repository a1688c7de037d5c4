import { REDACTED_REFERENCE } from '../../kernel/internal-api.ts';
import { compareHlc, type PluginSnapshot } from '../../kernel/plugin-api.ts';
import type { LedgerPage, StoreCheck } from '../backup/backup-api.ts';
import { mayResolve, readCited, resolves } from './cited-facts.ts';

const HINT = 'restore a backup, unless the fact was stored while the plugin "conflicts" was off';

/** Checks that each fact that resolves a contradiction has ended the facts that it resolves. */
export const resolutionCheck: StoreCheck = {
  name: 'resolutions',
  summary: 'each fact that settles a contradiction ends the older facts of its place, and no other fact does',
  begin: (report) => ({
    async page({ tenantId, facts, covers, snapshot }) {
      const ending = new Set(covers.flatMap(({ kind, factId }) => (kind === 'resolution' ? [factId] : [])));
      const told = (message: string): void => report.find({ tenantId, message, hint: HINT });
      for (const fact of await settling(facts, snapshot)) {
        if (!ending.has(fact.id)) told(`the resolution ${fact.id} ends nothing`);
      }
      for (const fact of facts) {
        // Where facts that it names were erased, there is nothing to compare.
        if (!ending.has(fact.id) || mayResolve(fact) || fact.derivedFrom.includes(REDACTED_REFERENCE)) continue;
        told(`the fact ${fact.id} ends others, and settles nothing`);
      }
    },
  }),
};

/**
 * Returns the facts that were recognised as resolutions when they were stored. A resolution that arrived before its
 * members may be absent, because the node remembers only a few of them.
 */
const settling = async (facts: LedgerPage['facts'], snapshot: PluginSnapshot): Promise<LedgerPage['facts']> => {
  const able = facts.filter(mayResolve);
  if (able.length === 0) return [];
  const known = await readCited(able, snapshot);
  return able.filter(({ id, feed }) =>
    resolves((known.get(id)?.named ?? []).filter((named) => compareHlc(named.feed, feed) < 0)),
  );
};
