import type { FactRecord, StoredState } from './stored-state.ts';

/** Ids that are not in the list exactly once, and ids of the list that are not expected. */
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
 * The facts of a triple that must be members of its conflicts: whoever arrived while a live fact with another value was
 * there, and that fact. A retraction ends the life of everything before it.
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

const stampProblems = (state: StoredState): string[] => {
  const problems: string[] = [];
  let last = 0;
  for (const { id, stamp } of state.feed) {
    if (stamp <= last) problems.push(`the stamp of ${id} does not come after the one before it`);
    last = stamp;
  }
  const feedStamps = new Map(state.feed.map(({ id, stamp }) => [id, stamp]));
  for (const { id, stamp } of state.facts) {
    if (feedStamps.get(id) !== stamp) problems.push(`fact ${id} has another stamp than its feed entry`);
  }
  if (state.clock < last) problems.push('the clock is behind the feed');
  return problems;
};

/**
 * What is wrong with a store by itself: every fact has all that belongs to it, and nothing is there without its fact.
 */
export const problemsOf = (state: StoredState): string[] => {
  const ids = state.facts.map(({ id }) => id);
  const asserted = state.facts.filter(({ isSystem }) => !isSystem).map(({ id }) => id);
  return [
    ...state.damage,
    ...differences(
      'feed entries',
      ids,
      state.feed.map(({ id }) => id),
    ),
    ...differences('audit entries', ids, state.audited),
    ...differences('billing rows', asserted, state.billed),
    ...conflictProblems(state),
    ...stampProblems(state),
  ];
};
