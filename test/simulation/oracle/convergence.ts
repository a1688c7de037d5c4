import { SQUATTED_ENTITY } from '../nemeses/squatter.ts';
import type { Grants } from '../world/grants.ts';
import type { Party } from '../world/party.ts';
import { expectAnswers } from './expected-answers.ts';
import type { Oracle } from './oracle.ts';
import { holds } from './violation.ts';
import type { FactRow } from './watch-store.ts';

interface Parts {
  readonly oracle: Oracle;
  readonly grants: Grants;
  /** Groups of nodes that can reach each other, directly or through others. */
  readonly groups: readonly (readonly Party[])[];
  readonly edges: readonly (readonly [Party, Party])[];
  /** Whether the peerings have the grant to end facts of others. */
  readonly mayEndOthers: boolean;
}

/** Conditions that must hold after all faults have ended. */
export interface Convergence {
  /** Returns the first missing fact; undefined when every node has all facts that it must get. */
  missing(): string | undefined;
  /** Checks that the answers of each node follow from its facts and grants, with one conflict a contradiction. */
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
        const told = new Map<unknown, string>();
        for (const party of group) {
          await checkParty(party, parts, told);
          await checkOpenRecords(party);
        }
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

/** The facts that a proven one hides. */
const COPIES = 'SELECT fact_id FROM federation_copies';

const COUNTS = `SELECT (SELECT count(*) FROM facts) AS facts, (SELECT count(*) FROM conflicts_records) AS records,
  (SELECT count(*) FROM conflicts_members) AS members, (SELECT max(feed_wall) FROM facts) AS head,
  (SELECT count(*) FROM facts WHERE tags LIKE '%,billing,%') AS billed, (SELECT wall FROM node_clock) AS clock`;

/** Leaves out the tales of the squatter, which it tells differently to each node. */
const isPublic = (row: FactRow): boolean =>
  row.scope === 'public' && row.garden_id === null && row.system === 0 && row.entity_key !== SQUATTED_ENTITY;

/** Returns the identity of a fact, which is the same on all nodes. */
const identityOf = ({ id, origin_id: originId, origin_node_id: origin }: FactRow, { nodeId }: Party): string =>
  `${origin ?? nodeId} ${originId ?? id}`;

const missingPublic = (oracle: Oracle, groups: Parts['groups']): string | undefined => {
  for (const group of groups) {
    const known = new Map(
      group.map((party) => [
        party,
        new Set([...oracle.storeOf(party).facts.values()].map((row) => identityOf(row, party))),
      ]),
    );
    for (const from of group) {
      for (const row of oracle.storeOf(from).facts.values()) {
        if (!isPublic(row)) continue;
        const without = group.find((party) => known.get(party)?.has(identityOf(row, from)) === false);
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
      const there = oracle.storeOf(to).facts;
      const hasOther = [...there.values()].some((other) => other.origin_id === row.id);
      if (!isOwn || row.scope !== 'company' || there.has(row.id) || hasOther) continue;
      return `I8: ${to.name} lacks the company fact ${row.id} of ${from.name}`;
    }
  }
  return undefined;
};

/**
 * Checks the answers to plain queries about each entity, for a reader of public facts. `told` holds each fact as
 * another node has shown it.
 */
const checkParty = async (
  party: Party,
  { oracle, mayEndOthers }: Pick<Parts, 'oracle' | 'mayEndOthers'>,
  told: Map<unknown, string>,
): Promise<void> => {
  const store = oracle.storeOf(party);
  const copies = new Set(store.rows<{ fact_id: string }>(COPIES).map(({ fact_id: id }) => id));
  const rows = [...store.facts.values()].filter((row) => isPublic(row) && !copies.has(row.id));
  const expected = expectAnswers(store, rows, {
    nowMs: party.clock.wallMs(),
    nodeId: party.nodeId,
    mayEndOthers,
  });
  const key = party.residents.keyOf('reader');
  const isEqual = (question: string, found: unknown, right: unknown): void => {
    const [one, other] = [JSON.stringify(found), JSON.stringify(right)];
    holds('I12', one === other, () => `${party.name} answers ${question} by\n${one}\nin place of\n${other}`);
  };
  for (const entity of new Set(rows.map(({ entity_key: key }) => key))) {
    for (const isWhole of [false, true]) {
      const more = isWhole ? '&include_contradicted=true&include_retracted=true&include_expired=true' : '';
      const target = `/v1/facts?limit=500&entity=${encodeURIComponent(entity)}${more}`;
      const { status, text, body } = await party.request('GET', target, { key });
      holds('I20', status === 200, () => `${party.name} replied ${status} to ${target}: ${text}`);
      const shown = body.facts.map(({ id, contradicted, ended }: ShownJson) => [id, contradicted, ended ?? null]);
      isEqual(target, shown, expected.about(entity, isWhole));
      for (const fact of body.facts) {
        const said = JSON.stringify(shared(fact));
        const name = `${fact.origin_node_id ?? party.nodeId} ${fact.origin_id ?? fact.id}`;
        isEqual(`with ${name}`, JSON.parse(said), JSON.parse(told.get(name) ?? said));
        told.set(name, said);
      }
    }
  }
  const { body } = await party.request('GET', '/v1/conflicts?limit=500', { key });
  const contested = body.conflicts
    .filter((one: { fact_a: { entity: string } }) => one.fact_a.entity !== SQUATTED_ENTITY)
    .map(({ members }: { members: readonly string[] }) => [...members].sort());
  const open = expected.conflicts.map((members) => [...members].sort());
  isEqual('open conflicts', contested.map(String).sort(), open.map(String).sort());
};

interface ShownJson {
  readonly id: string;
  readonly contradicted: boolean;
  readonly ended?: string;
}

/** Returns a fact without the members that differ between nodes. */
const shared = (fact: Readonly<Record<string, unknown>>): object => {
  const {
    received_from: _received,
    origin_node_id: _origin,
    contradicted: _rivals,
    not_granted: _grant,
    ended: _ended,
    origin_id: originId,
    ...rest
  } = fact;
  return { ...rest, id: originId ?? rest['id'] };
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
