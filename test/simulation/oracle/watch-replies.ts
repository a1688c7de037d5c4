import type { Call } from '../workload/operations.ts';
import { COMPANY, SECRET } from '../workload/said-facts.ts';
import type { Party } from '../world/party.ts';
import { holds } from './violation.ts';

/** Checks replies against the permissions of their clients, and records acknowledged facts. */
export interface ReplyWatch {
  take(call: Call): void;
  /** Returns the ids of facts that this node has acknowledged to a client. */
  acknowledged(party: Party): readonly string[];
  copyAside(party: Party): void;
  restoring(party: Party): void;
}

export const watchReplies = (): ReplyWatch => {
  const acknowledged = new Map<Party, string[]>();
  const copies = new Map<Party, string[]>();
  const listOf = (party: Party): string[] => {
    const known = acknowledged.get(party) ?? [];
    acknowledged.set(party, known);
    return known;
  };
  return {
    acknowledged: listOf,
    copyAside: (party) => {
      copies.set(party, [...listOf(party)]);
    },
    restoring: (party) => {
      acknowledged.set(party, [...(copies.get(party) ?? [])]);
    },
    take({ party, as, method, target, reply }) {
      const { status, text, body } = reply;
      const what = `${method} ${target} as ${as} at ${party.name}`;
      holds('I20', status < 500 || status === 503, () => `${what} got ${status}: ${text.slice(0, 200)}`);
      if (as === 'reader') {
        holds('I13', !SECRET.test(text) && text.match(COMPANY) === null, () => `${what} showed a hidden fact`);
      }
      if (as === 'outsider') holds('I13', !text.includes('secret-garden'), () => `${what} showed a garden`);
      if (method !== 'POST') return;
      if (status === 201 && target === '/v1/facts') listOf(party).push(body.id);
      if (status !== 200) return;
      if (target === '/v1/facts/batch') {
        for (const { status: verdict, fact } of body.results) if (verdict === 201) listOf(party).push(fact.id);
      }
      if (target.endsWith('/resolve')) listOf(party).push(body.resolution_fact_id);
    },
  };
};
