import { expectedLink } from '../kit/expected-link.ts';
import type { FactRecord, StoredState } from './stored-state.ts';

/** Returns expected ids that do not occur exactly once, and ids that were not expected. */
const differences = (what: string, expected: Iterable<string>, found: readonly string[]): string[] => {
  const times = new Map<string, number>();
  for (const id of found) times.set(id, (times.get(id) ?? 0) + 1);
  const wrong: string[] = [];
  for (const id of expected) {
    const count = times.get(id) ?? 0;
    if (count !== 1) wrong.push(`fact ${id} has ${count} ${what}`);
    times.delete(id);
  }
  for (const id of times.keys()) wrong.push(`${what} of fact ${id}, which should have none`);
  return wrong;
};

/**
 * Returns the facts of a triple that must be members of its conflicts: each fact that met a live fact with another
 * value, and that fact. A retraction ends all earlier facts.
 */
const expectedMembers = (facts: readonly FactRecord[]): Set<string> => {
  const members = new Set<string>();
  let live: FactRecord[] = [];
  for (const fact of facts) {
    if (fact.confidence === 0) {
      live = [];
      continue;
    }
    const contradicts = live.some((other) => other.v !== fact.v);
    if (contradicts) for (const { id } of [...live, fact]) members.add(id);
    live.push(fact);
  }
  return members;
};

const conflictProblems = (state: StoredState): string[] => {
  const byTriple = new Map<string, FactRecord[]>();
  for (const fact of state.facts) {
    if (fact.isSystem) continue;
    const triple = fact.entity.toLowerCase();
    const facts = byTriple.get(triple);
    if (facts === undefined) byTriple.set(triple, [fact]);
    else facts.push(fact);
  }
  const problems = state.doubleRecords.map((triple) => `${triple} has two open conflict records`);
  for (const [triple, facts] of byTriple) {
    problems.push(
      ...differences('conflict memberships', expectedMembers(facts), state.members.get(triple) ?? []).map(
        (problem) => `${triple}: ${problem}`,
      ),
    );
  }
  return problems;
};

const stampProblems = ({ facts, clock, head }: StoredState): string[] => {
  const problems: string[] = [];
  let last = 0;
  for (const { id, stamp } of facts) {
    if (stamp <= last) problems.push(`the stamp of ${id} does not come after the one before it`);
    last = stamp;
  }
  if (clock < last) problems.push('the clock is behind the feed');
  if ((head?.stamp ?? 0) !== last) problems.push('the ledger ends at another stamp than its newest fact');
  return problems;
};

/**
 * Checks the ledger numbers: each occurs once, facts have them in feed order, and none exceeds the end of the ledger.
 */
const numberProblems = ({ facts, head, auditNumbers, billedUpTo }: StoredState): string[] => {
  const problems: string[] = [];
  const taken = new Set(auditNumbers);
  if (taken.size !== auditNumbers.length) problems.push('two rows of the audit log have one number');
  let last = 0;
  for (const { id, number } of facts) {
    if (number <= last) problems.push(`the number of ${id} does not come after the one before it`);
    if (taken.has(number)) problems.push(`a row of the audit log has the number of fact ${id}`);
    last = number;
  }
  const highest = auditNumbers.reduce((a, b) => Math.max(a, b), last);
  if ((head?.number ?? 0) < highest) problems.push('the ledger has given out fewer numbers than there are');
  if ((head?.factNumber ?? 0) !== last) problems.push('the ledger ends at another number than its newest fact');
  if (billedUpTo > highest) problems.push('billing lines were written for facts that are not there');
  return problems;
};

/** Checks the hash chain: each fact is linked to the previous one, from 1 and without gaps. */
const chainProblems = ({ facts, head }: StoredState): string[] => {
  let previous: string | null = null;
  for (const [at, { id, link, linked }] of facts.entries()) {
    const seq = at + 1;
    if (linked.seq !== seq) return [`fact ${id} has link ${linked.seq} instead of ${seq}`];
    if (link !== expectedLink({ ...linked, seq }, previous)) return [`the link of fact ${id} does not fit`];
    previous = link;
  }
  const newest = facts.at(-1);
  const isAtEnd = (head?.link ?? null) === previous && (head?.linkedNumber ?? null) === (newest?.number ?? null);
  return isAtEnd ? [] : ['the chain ends elsewhere than the ledger says'];
};

/** Returns the billed facts: those that a client wrote, and no others. */
const billed = ({ facts }: StoredState): string[] =>
  facts.flatMap(({ id, tags }) => (tags.includes('billing') ? [id] : []));

/** Checks a store by itself: every fact has all its derived rows, and no derived row lacks its fact. */
export const problemsOf = (state: StoredState): string[] => [
  ...state.damage,
  ...state.auditedTwice.map((id) => `a row of the audit log repeats that fact ${id} was written`),
  ...differences('billing tags', clientFacts(state), billed(state)),
  ...conflictProblems(state),
  ...stampProblems(state),
  ...numberProblems(state),
  ...chainProblems(state),
];

/** Returns the ids of the facts that the node did not write itself. */
const clientFacts = ({ facts }: StoredState): string[] => facts.flatMap(({ id, isSystem }) => (isSystem ? [] : [id]));

/** Facts in the lists of audit and billing; each id occurs once for each entry. */
export interface DerivedIds {
  readonly audited: readonly string[];
  readonly billed: readonly string[];
}

/** Checks that each stored fact has one audit entry, and one billing entry if a client wrote it. */
export const derivedProblems = (state: StoredState, { audited, billed: charged }: DerivedIds): string[] => [
  ...differences(
    'audit entries',
    state.facts.map(({ id }) => id),
    audited,
  ),
  ...differences('billing events', clientFacts(state), charged),
];
