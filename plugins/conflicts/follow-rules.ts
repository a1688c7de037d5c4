import { above, all, equals, type Filter, type PluginTransaction, type ServiceNames } from '../../kernel/plugin-api.ts';
import type { JobHandler, JobQueue, JobRun } from '../jobs/jobs-api.ts';
import type { RelationChange } from '../relations/relations-api.ts';
import { type FollowParts, whereAllowed } from './append-about-records.ts';
import { closeGone, planClosing } from './close-by-rule.ts';
import { openByRule, planOpening, type WalkedFact } from './open-by-rule.ts';

export const FOLLOW_RULES = 'conflicts.follow-rules';

/** The job runs twice, because another process may open records by the former rule for about a second. */
const DELAYS_MS = [0, 2_000];
const FACTS_PER_PAGE = 500;
const RECORDS_PER_PAGE = 50;

/** Orders the work that a changed rule causes, within the transaction of the change. */
export const orderFollowing = async (
  { tenantId, covered, patternKey, transaction }: RelationChange,
  jobs: JobQueue,
  names: ServiceNames,
): Promise<void> => {
  for (const delayMs of DELAYS_MS) {
    const dedupe = { key: `${delayMs} ${patternKey}` };
    const request = {
      type: FOLLOW_RULES,
      tenantId,
      creator: names.systemSource,
      payload: { covered },
      delayMs,
      dedupe,
    };
    await jobs.enqueue(request, transaction);
  }
};

/** The position of a job. Plain JSON, for checkpoints. */
interface FollowState {
  /** The last record that was checked for closing; null once all are checked. */
  readonly closedUpTo: string | null;
  /** The last fact read by the pass over all triples, with its value. */
  readonly last: WalkedFact | null;
  readonly closed: number;
  readonly opened: number;
}

const START: FollowState = { closedUpTo: '', last: null, closed: 0, opened: 0 };

/**
 * Closes the open records of relations that hold many values now, and opens records for the contradictions of the
 * relations that the changed pattern covers and that hold one value now. Each change commits with its system facts. A
 * repeated step finds nothing to do, so a run after a crash continues from the last checkpoint.
 */
export const followRulesJob = (parts: FollowParts): JobHandler => ({
  steering: 'nobody',
  async run(job) {
    let state = (job.resumedFrom as FollowState | null) ?? START;
    for (let more = true; more; ) {
      job.signal.throwIfAborted();
      const before = state;
      const isClosing = state.closedUpTo !== null;
      ({ state, more } = isClosing ? await closeSome(parts, job, state) : await openSome(parts, job, state));
      more ||= isClosing;
      if (state.closed + state.opened > before.closed + before.opened) await job.checkpoint({ ...state });
    }
    return { closed: state.closed, opened: state.opened };
  },
});

interface Step {
  readonly state: FollowState;
  readonly more: boolean;
}

const closeSome = async (parts: FollowParts, job: JobRun, state: FollowState): Promise<Step> => {
  const { tables, relations } = parts;
  const { holdsMany } = relations.at(job.tenantId);
  const page = await tables.read((own) =>
    planClosing(own, job.tenantId, { after: state.closedUpTo ?? '', limit: RECORDS_PER_PAGE }),
  );
  const wrong = page.filter(({ relationKey }) => holdsMany(relationKey));
  const closed = await whereAllowed(wrong, (some) => closeGone(some, parts, guardOf(job), job.tenantId));
  const closedUpTo = page.length < RECORDS_PER_PAGE ? null : (page.at(-1)?.id ?? null);
  return { state: { ...state, closedUpTo, closed: state.closed + closed }, more: true };
};

const openSome = async (parts: FollowParts, job: JobRun, state: FollowState): Promise<Step> => {
  const { tables, relations } = parts;
  const { tenantId, payload } = job;
  const { holdsMany } = relations.at(tenantId);
  const filter = all(payload['covered'] as Filter, equals('system', false), above('confidence', 0));
  const query = { tenantId, filter, after: state.last ?? undefined, limit: FACTS_PER_PAGE };
  const page = await tables.read((_own, snapshot) => snapshot.outlineByTriple(query));
  const triples = planOpening(page, state.last).filter(({ relationKey }) => !holdsMany(relationKey));
  const opened = await whereAllowed(triples, (some) => openByRule(some, parts, guardOf(job), tenantId));
  const last = page.at(-1);
  const next = last === undefined ? state.last : walkedOf(last);
  return { state: { ...state, last: next, opened: state.opened + opened }, more: page.length === FACTS_PER_PAGE };
};

const walkedOf = ({
  entityKey,
  relationKey,
  scope,
  gardenId,
  confidence,
  hlc,
  id,
  valueKey,
}: WalkedFact): WalkedFact => ({
  entityKey,
  relationKey,
  scope,
  gardenId,
  confidence,
  hlc,
  id,
  valueKey,
});

const guardOf =
  (job: JobRun) =>
  (transaction: PluginTransaction): Promise<void> =>
    job.assertHeld(transaction);
