import { othersGoFirst, portions } from '../../kernel/internal-api.ts';
import {
  all,
  type Clock,
  type FactReader,
  type Facts,
  isIn,
  type Principal,
  type ServiceNames,
  spellList,
  type Turns,
} from '../../kernel/plugin-api.ts';
import {
  type CountedView,
  coversRights,
  creatorOf,
  hadGardens,
  type JobHandler,
  type JobRun,
  rightsOf,
  seesAllOf,
  type WorkingRights,
} from '../jobs/jobs-api.ts';
import type { RelationRules } from '../relations/relations-api.ts';
import { checkPage, checksOf, countFacts, rulesOf } from './check-facts.ts';
import type { KeptFinding } from './finding-list.ts';
import type { LintQuestion, RuleProposal } from './lint-api.ts';
import { findingJson, lintMembers } from './lint-json.ts';
import { LintWalk, type WalkState } from './lint-walk.ts';

export const LINT_JOB = 'lint.run';

/** The maximum size of the findings of a job in bytes, because its result is stored in one row. */
export const JOB_FINDING_BYTES = 4 * 1024 * 1024;
/**
 * The maximum size in bytes of a stored list of findings. A larger list is not stored, and after a crash the run
 * resumes from an earlier checkpoint.
 */
const MAX_CHECKPOINT_BYTES = 200 * 1024;
/** The number of facts between two checkpoints. */
const CHECKPOINT_FACTS = 5_000;

/** Rest per unit of work, so that readers and writers keep their speed. */
const REST_FACTOR = 5;
const MOST_REST_MS = 1_000;

/** The data that a job needs to check facts as its creator. */
export interface LintOrder extends WorkingRights {
  readonly question: LintQuestion;
}

export const orderOf = (reader: Pick<FactReader, 'caller' | 'gardens'>, question: LintQuestion): LintOrder => ({
  ...rightsOf(reader),
  question: { ...question, checks: checksOf(question) },
});

export interface LintParts {
  readonly facts: Facts;
  readonly clock: Clock;
  readonly names: ServiceNames;
  readonly turns: Turns;
  /** The rules about relations that hold many values. */
  readonly rules: RelationRules | undefined;
}

export interface LintOutcome {
  readonly findings: readonly KeptFinding[];
  readonly proposals: readonly RuleProposal[];
  readonly isTruncated: boolean;
  readonly factCount: number;
  readonly checkedMs: number;
  /** The gardens whose facts were checked. */
  readonly gardens: FactReader['gardens'];
}

/** The caller of a job, and the gardens whose facts its progress may count. */
export interface LintCaller {
  readonly caller: Principal;
  readonly gardens: FactReader['gardens'];
}

/**
 * Checks facts page by page, each on its own short snapshot, with little memory. A fact that changes meanwhile counts
 * as it was when its page was read. Reports no progress once the caller has joined further gardens.
 */
export const lintInJob = async (
  { facts, clock, names, rules }: LintParts,
  run: JobRun,
  { caller, gardens }: LintCaller,
  question: LintQuestion,
): Promise<LintOutcome> => {
  let isWithin = true;
  const read = <T>(work: (reader: FactReader) => Promise<T>): Promise<T> =>
    facts.read(caller, 'query', (reader) => {
      isWithin &&= hadGardens({ gardens }, reader.gardens);
      return work(reader);
    });
  const report = (done: number, total: number): void => {
    if (isWithin) run.progress({ done, total });
  };
  const total = await read((reader) => countFacts(reader, question, names, Number.MAX_SAFE_INTEGER));
  const judged = rulesOf(question, JOB_FINDING_BYTES, rules?.at(caller.tenantId));
  const walk = new LintWalk(judged, (run.resumedFrom as WalkState | null) ?? undefined);
  let checkpointAt = walk.factCount + CHECKPOINT_FACTS;
  for (let more = true; more; ) {
    run.signal.throwIfAborted();
    report(walk.factCount, Math.max(total, walk.factCount));
    const startedMs = clock.monotonicMs();
    more = await read((reader) => checkPage(reader, question, walk, names));
    if (more && walk.factCount >= checkpointAt) {
      checkpointAt = walk.factCount + CHECKPOINT_FACTS;
      await checkpoint(run, walk);
    }
    await rest(clock, (clock.monotonicMs() - startedMs) * REST_FACTOR, run.signal);
  }
  report(walk.factCount, walk.factCount);
  const { findings, isTruncated } = walk.list;
  const { proposals, factCount } = walk;
  const seen = isWithin ? gardens : 'all';
  return { findings, proposals, isTruncated, factCount, checkedMs: clock.nowMs(), gardens: seen };
};

const checkpoint = async (run: JobRun, { list, state }: LintWalk): Promise<void> => {
  // Avoids serialising a list that is much too long.
  if (list.bytes > MAX_CHECKPOINT_BYTES) return;
  if (Buffer.byteLength(JSON.stringify(state)) <= MAX_CHECKPOINT_BYTES) await run.checkpoint({ ...state });
};

/** Ends early when the signal aborts, so that a stopping node does not wait. */
const rest = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  ms < 1
    ? othersGoFirst()
    : new Promise((resolve) => {
        const end = (): void => {
          cancel();
          signal.removeEventListener('abort', end);
          resolve();
        };
        const cancel = clock.schedule(Math.min(ms, MOST_REST_MS), end);
        if (signal.aborted) end();
        else signal.addEventListener('abort', end);
      });

/** The job for a request about many facts. */
export const lintJob = (parts: LintParts): JobHandler => ({
  covers: coversRights,
  async run(job) {
    const order = job.payload as unknown as LintOrder;
    const { question, scopes } = order;
    const caller = creatorOf(job, order);
    const asker = { caller, gardens: order.gardens };
    const { factCount, checkedMs, proposals, gardens, ...found } = await lintInJob(parts, job, asker, question);
    const kept = await spellList(found.findings, (finding) => finding, JOB_FINDING_BYTES);
    const isTruncated = found.isTruncated || kept.isCut;
    const findings = found.findings.slice(0, kept.count);
    return { question, scopes, gardens, findings, proposals, isTruncated, checkedMs, factCount };
  },
  async present(result, reader) {
    const stored = result as unknown as StoredResult;
    const { question, isTruncated, checkedMs, factCount } = stored;
    const values = await visibleValues(reader, stored);
    const shown = shownTo(values, stored.findings);
    const proposals = stored.proposals.filter(({ factIds }) => factIds.every((id) => values.has(id)));
    const report = { proposals, checkedMs, isTruncated, factCount: seesAllOf(reader, stored) ? factCount : undefined };
    return { findings: shown.map(findingJson), ...lintMembers(question, checksOf(question), report) };
  },
});

interface StoredResult extends CountedView, Omit<LintOutcome, 'gardens'> {
  readonly question: LintQuestion;
}

const IDS_PER_STATEMENT = 1_000;

/** Returns the value keys of the facts in a result that the reader sees now, by id. */
const visibleValues = async (
  reader: FactReader,
  { findings, proposals }: Pick<LintOutcome, 'findings' | 'proposals'>,
): Promise<ReadonlyMap<string, string>> => {
  const named = [...findings, ...proposals] as readonly Pick<KeptFinding, 'factIds' | 'witness'>[];
  const ids = [...new Set(named.flatMap(({ factIds, witness }) => (witness === undefined ? factIds : [witness])))];
  const visible = await reader.constraint('visible');
  const values = new Map<string, string>();
  for (const some of portions(ids, IDS_PER_STATEMENT)) {
    const seen = await reader.snapshot.outline(all(isIn('id', some), visible));
    for (const { id, valueKey } of seen) values.set(id, valueKey);
    await othersGoFirst();
  }
  return values;
};

/** The findings whose facts the reader sees now. A contradiction needs two visible facts that differ. */
const shownTo = (values: ReadonlyMap<string, string>, findings: readonly KeptFinding[]): KeptFinding[] =>
  findings.flatMap((finding): KeptFinding[] => {
    if (finding.witness !== undefined) return values.has(finding.witness) ? [finding] : [];
    const factIds = finding.factIds.filter((id) => values.has(id));
    const needed = finding.check === 'contradiction' ? 2 : 1;
    if (new Set(factIds.map((id) => values.get(id))).size < needed) return [];
    // The sentence contains the number of all facts, so it is shown only to readers who see them all.
    const isWhole = factIds.length === finding.factIds.length;
    return [{ ...finding, factIds, ...(isWhole ? {} : { detail: 'live facts of the triple say different things' }) }];
  });
