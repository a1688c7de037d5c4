import type { Grants } from '../world/grants.ts';
import type { Party } from '../world/party.ts';
import type { Oracle } from './oracle.ts';
import { holds } from './violation.ts';
import type { FactRow } from './watch-store.ts';

interface Parts {
  readonly oracle: Oracle;
  readonly grants: Grants;
  /** Groups of nodes that can reach each other, directly or through others. */
  readonly groups: readonly (readonly Party[])[];
  readonly edges: readonly (readonly [Party, Party])[];
}

/** Conditions that must hold after all faults have ended. */
export interface Convergence {
  /** Returns the first missing fact; undefined when every node has all facts that it must get. */
  missing(): string | undefined;
  /** Checks that all nodes give the same answers about shared facts, with one conflict for each contradiction. */
  checkAnswers(): Promise<void>;
  /** Returns the state that must not change while no fact is asserted. */
  state(): string;
}

export const createConvergence = (parts: Parts): Convergence => {
  const { oracle, grants, groups, edges } = parts;
  return {
    missing: () => missingPublic(oracle, groups) ?? missingCompany(oracle, grants, edges),
    async checkAnswers() {
      for (const group of groups) {
        const [first, ...others] = await Promise.all(group.map((party) => answersOf(party, oracle)));
        for (const [at, other] of others.entries()) {
          for (const [question, answer] of first ?? []) {
            const names = `${group[0]?.name} and ${group[at + 1]?.name}`;
            holds(
              'I12',
              other.get(question) === answer,
              () => `${names} differ: ${question}\n${answer}\n${other.get(question)}`,
            );
          }
        }
        for (const party of group) await checkOpenRecords(party);
      }
    },
    state: () =>
      groups
        .flat()
        .map((party) => {
          const [counts] = oracle.storeOf(party).rows<object>(COUNTS);
          return `${party.name} ${JSON.stringify(counts)}`;
        })
        .join('\n'),
  };
};

const COUNTS = `SELECT (SELECT count(*) FROM facts) AS facts, (SELECT count(*) FROM conflicts_records) AS records,
  (SELECT count(*) FROM conflicts_members) AS members, (SELECT max(feed_wall) FROM facts) AS head,
  (SELECT count(*) FROM facts WHERE tags LIKE '%,billing,%') AS billed, (SELECT wall FROM node_clock) AS clock`;

const isPublic = (row: FactRow): boolean => row.scope === 'public' && row.garden_id === null && row.system === 0;

const missingPublic = (oracle: Oracle, groups: Parts['groups']): string | undefined => {
  for (const group of groups) {
    for (const from of group) {
      for (const row of oracle.storeOf(from).facts.values()) {
        if (!isPublic(row)) continue;
        const without = group.find((party) => !oracle.storeOf(party).facts.has(row.id));
        if (without !== undefined)
          return `I8: ${without.name} lacks the public fact ${row.id} of ${from.name}, from ${row.origin_node_id} by ${row.received_from}`;
      }
    }
  }
  return undefined;
};

const missingCompany = (oracle: Oracle, grants: Grants, edges: Parts['edges']): string | undefined => {
  for (const [from, to] of edges.flatMap(([one, other]) => [[one, other] as const, [other, one] as const])) {
    if (!grants.mustGive(from, to, 'company')) continue;
    for (const row of oracle.storeOf(from).facts.values()) {
      const isOwn = row.received_from === null && row.garden_id === null && row.system === 0;
      if (!isOwn || row.scope !== 'company' || oracle.storeOf(to).facts.has(row.id)) continue;
      return `I8: ${to.name} lacks the company fact ${row.id} of ${from.name}`;
    }
  }
  return undefined;
};

/** Returns the answers to plain queries about each entity, for a reader of public facts. */
const answersOf = async (party: Party, oracle: Oracle): Promise<ReadonlyMap<string, string>> => {
  const rows = [...oracle.storeOf(party).facts.values()].filter(isPublic);
  const entities = [...new Set(rows.map(({ entity_key: key }) => key))].sort();
  const answers = new Map<string, string>();
  const key = party.residents.keyOf('reader');
  for (const entity of entities) {
    for (const more of ['', '&include_contradicted=true&include_retracted=true&include_expired=true']) {
      const target = `/v1/facts?limit=500&entity=${encodeURIComponent(entity)}${more}`;
      const { status, text, body } = await party.request('GET', target, { key });
      holds('I20', status === 200, () => `${party.name} replied ${status} to ${target}: ${text}`);
      answers.set(target, JSON.stringify(body.facts.map(shared)));
    }
  }
  const { body } = await party.request('GET', '/v1/conflicts?limit=500', { key });
  const contested = body.conflicts.map(({ members }: { members: readonly string[] }) => [...members].sort());
  answers.set('open conflicts', JSON.stringify(contested.map(String).sort()));
  return answers;
};

/** Returns a fact without the members that differ between nodes. */
const shared = (fact: Readonly<Record<string, unknown>>): object => {
  const { received_from: _received, origin_node_id: _origin, ...rest } = fact;
  return rest;
};

/** Checks that each triple with different live values has one open conflict, and that no other triple has any. */
const checkOpenRecords = async (party: Party): Promise<void> => {
  const key = party.residents.keyOf('reader');
  const query = '/v1/facts?limit=500&scope=public&include_contradicted=true';
  const { body } = await party.request('GET', query, { key });
  const contested = new Set<string>();
  for (const fact of body.facts) if (fact.contradicted) contested.add(`${fact.entity} ${fact.relation}`);
  const listed = (await party.request('GET', '/v1/conflicts?limit=500', { key })).body.conflicts.map(
    ({ fact_a: { entity, relation } }: { fact_a: { entity: string; relation: string } }) => `${entity} ${relation}`,
  );
  const [found, expected] = [[...listed].sort().join(), [...contested].sort().join()];
  holds('I11', found === expected, () => `${party.name} lists conflicts about ${found}; contested are ${expected}`);
};
