import { othersGoFirst } from '../../kernel/internal-api.ts';
import { all, equals, type FactReader, type Filter, matchKey, type ServiceNames } from '../../kernel/plugin-api.ts';
import type { RelationVerdicts } from '../relations/relations-api.ts';
import { type JudgedFact, readPage } from './judge-page.ts';
import { CHECKS, type Check, type LintQuestion } from './lint-api.ts';
import type { LintWalk, WalkRules } from './lint-walk.ts';

/** The number of facts per page. One statement reads a page, so other requests wait only for that. */
export const PAGE_FACTS = 500;

/** Returns the checks of a request, in the order of `CHECKS`. */
export const checksOf = ({ checks = [] }: LintQuestion): readonly Check[] =>
  checks.length === 0 ? CHECKS : CHECKS.filter((check) => checks.includes(check));

export const rulesOf = (
  question: LintQuestion,
  maxBytes: number,
  verdicts: RelationVerdicts | undefined,
): WalkRules => ({
  checks: new Set(checksOf(question)),
  lookaheadMs: (question.lookaheadSeconds ?? 0) * 1000,
  maxBytes,
  holdsMany: (relationKey) => verdicts?.holdsMany(relationKey) === true,
  lacksRule: (relationKey) => verdicts !== undefined && verdicts.ruleOf(relationKey) === undefined,
});

/** The visible facts that a request selects, without system facts, which are about the store itself. */
export const questionFilter = ({ scope, entity, relation }: LintQuestion, names: ServiceNames): Filter => {
  const parts: Filter[] = [equals('system', false)];
  if (scope !== 'all') parts.push(equals('scope', scope));
  if (entity !== undefined) parts.push(equals('entityKey', matchKey(entity, names)));
  if (relation !== undefined) parts.push(equals('relationKey', matchKey(relation, names)));
  return all(...parts);
};

/** Passes the next page of facts, from the reader's snapshot, to the walk. Returns true if there may be more. */
export const checkPage = async (
  reader: FactReader,
  question: LintQuestion,
  walk: LintWalk,
  names: ServiceNames,
): Promise<boolean> => {
  const page = await readPage(reader, pageQuery(question, walk, names), names);
  walk.take(page, reader.nowMs);
  const isOver = page.length < PAGE_FACTS;
  if (isOver) walk.end();
  await addOrphans(reader, question, walk);
  return !isOver;
};

const pageQuery = (question: LintQuestion, walk: LintWalk, names: ServiceNames) => ({
  filter: questionFilter(question, names),
  after: walk.after,
  limit: PAGE_FACTS,
  followsRefs: checksOf(question).includes('broken_ref'),
});

/**
 * Looks for a live fact of each possible orphan, because a lint of one relation does not read an entity's other facts.
 */
const addOrphans = async (reader: FactReader, question: LintQuestion, walk: LintWalk): Promise<void> => {
  const candidates = walk.takeCandidates();
  const alive =
    candidates.length === 0 || question.relation === undefined
      ? NONE
      : await aliveAmong(
          reader,
          question,
          candidates.map(({ key }) => key),
        );
  for (const candidate of candidates) if (!alive.has(candidate.key)) walk.addOrphan(candidate);
};

const NONE: ReadonlySet<string> = new Set();

const aliveAmong = async (
  reader: FactReader,
  { scope }: LintQuestion,
  keys: readonly string[],
): Promise<ReadonlySet<string>> => {
  const live = await reader.constraint('live');
  const filter = scope === 'all' ? live : all(equals('scope', scope), live);
  return new Set(await reader.snapshot.entitiesWith(reader.caller.tenantId, keys, filter));
};

/** The maximum number of facts that one statement counts. */
const COUNTED_AT_ONCE = 10_000;

/** Counts the facts that a request selects, at most up to `atMost`. Pauses between pieces for other work. */
export const countFacts = async (
  reader: FactReader,
  question: LintQuestion,
  names: ServiceNames,
  atMost: number,
): Promise<number> => {
  const { snapshot, caller } = reader;
  const filter = all(await reader.constraint('visible'), questionFilter(question, names));
  const { tenantId } = caller;
  const { number: last } = await snapshot.ledgerHead(tenantId);
  let count = 0;
  for (let above = 0; above < last && count <= atMost; above += COUNTED_AT_ONCE) {
    count += await snapshot.ledgerCount({ tenantId, above, below: above + COUNTED_AT_ONCE + 1, filter });
    await othersGoFirst();
  }
  return count;
};

/** True if there are more facts than this. Needs no query if the whole tenant has fewer. */
export const hasMoreThan = async (
  reader: FactReader,
  question: LintQuestion,
  names: ServiceNames,
  limit: number,
): Promise<boolean> => {
  const { snapshot, caller } = reader;
  const { number: last } = await snapshot.ledgerHead(caller.tenantId);
  if (last <= limit) return false;
  if (question.entity === undefined) return (await countFacts(reader, question, names, limit)) > limit;
  return hasMoreAbout(reader, question, names, limit);
};

const STEP_FACTS = 2_000;

/** Counts by the index on entities, because nearly every entity has few facts. */
const hasMoreAbout = async (
  reader: FactReader,
  question: LintQuestion,
  names: ServiceNames,
  limit: number,
): Promise<boolean> => {
  const { snapshot, caller } = reader;
  const filter = all(await reader.constraint('visible'), questionFilter(question, names));
  let count = 0;
  for (let after: JudgedFact['fact'] | undefined; ; ) {
    const page = await snapshot.outlineByTriple({ tenantId: caller.tenantId, filter, after, limit: STEP_FACTS });
    count += page.length;
    after = page.at(-1);
    if (count > limit) return true;
    if (page.length < STEP_FACTS) return false;
    await othersGoFirst();
  }
};
