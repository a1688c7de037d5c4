import { type BodyItem, canonicalJson, inTurns } from '../../kernel/internal-api.ts';
import {
  type AppendVerdict,
  type Clock,
  type FactDraft,
  type Facts,
  type Principal,
  requirePermission,
  ServiceError,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import type { Assertions, AssertOptions, RecordedAnswer } from './facts-api.ts';
import type { Idempotency } from './idempotency.ts';
import type { ReadAssertion } from './read-assertion.ts';

export interface AssertionParts {
  readonly facts: Facts;
  readonly clock: Clock;
  readonly idempotency: Idempotency;
  readonly readAssertion: ReadAssertion;
}

export const createAssertions = ({ facts, clock, idempotency, readAssertion }: AssertionParts): Assertions => {
  const read = (body: unknown, path: string, { sessionId = null }: AssertOptions): FactDraft =>
    readAssertion(body, path, { nowMs: clock.nowMs(), sessionId });
  const readOne = (body: BodyItem, at: number, options: AssertOptions): FactDraft | ServiceError => {
    if ('error' in body) return body.error;
    try {
      return read(body.value, `body[${at}]`, options);
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  };
  const readAll = async (bodies: readonly BodyItem[], options: AssertOptions) => {
    const outcomes: (FactDraft | ServiceError)[] = [];
    await inTurns(bodies, (body, at) => void outcomes.push(readOne(body, at, options)));
    return outcomes;
  };
  return {
    async assert(caller, body, options = {}) {
      requirePermission(caller, 'write');
      return facts.append(read(body, 'body', options), caller);
    },
    async assertAll(caller, bodies, options = {}) {
      requirePermission(caller, 'write');
      const outcomes = await readAll(bodies, options);
      return inOrder(outcomes, await facts.appendAll(draftsOf(outcomes), caller, { exclusive: true }));
    },
    async rehearseAll(caller, bodies, options = {}) {
      requirePermission(caller, 'write');
      const outcomes = await readAll(bodies, options);
      const drafts = draftsOf(outcomes);
      const judged = drafts.length === 0 ? [] : await rehearsed(drafts, caller, facts);
      return inOrder(outcomes, judged);
    },
    async assertOnce(caller, body, { key, request, answer }, options = {}) {
      requirePermission(caller, 'write');
      const draft = read(body, 'body', options);
      return idempotency.run(
        { caller, key, hash: () => requestHash(request, body) },
        {
          async permit() {
            const [refusal] = await facts.refusals([draft], caller);
            if (refusal !== undefined) throw refusal;
          },
          async work(recorder) {
            let recorded: RecordedAnswer | undefined;
            const options = recorder.options(([verdict]) => {
              if (verdict?.kind === 'stored') recorded = answer(verdict.view);
              return recorded;
            });
            const { view } = await facts.append(draft, caller, options);
            return recorded ?? answer(view);
          },
        },
      );
    },
    async assertAllOnce(caller, bodies, { key, request, answer, withhold }, options = {}) {
      requirePermission(caller, 'write');
      const outcomes = await readAll(bodies, options);
      const drafts = draftsOf(outcomes);
      const hash = () => requestHash(request, bodies.map(asked));
      const given = await idempotency.run(
        { caller, key, hash },
        {
          // Each item of a batch has its own result, so no check refuses the whole batch.
          permit: async () => {},
          async work(recorder) {
            let recorded: RecordedAnswer | undefined;
            const options = recorder.options((verdicts) => {
              recorded = answer(inOrder(outcomes, verdicts));
              return recorded;
            });
            const verdicts = await facts.appendAll(drafts, caller, { ...options, exclusive: true });
            if (recorded !== undefined) return recorded;
            const answered = answer(inOrder(outcomes, verdicts));
            // If no fact was appended, no transaction has recorded the answer yet.
            await recorder.record(answered);
            return answered;
          },
        },
      );
      if (!given.isReplay) return given;
      return { ...withhold(given, await refusalsNow(outcomes, caller, facts)), isReplay: true };
    },
  };
};

/** Carries the verdicts out of the transaction that it rolls back. */
class Rehearsal extends Error {
  readonly verdicts: readonly AppendVerdict[];

  constructor(verdicts: readonly AppendVerdict[]) {
    super('a rehearsal ends');
    this.verdicts = verdicts;
  }
}

const rehearsed = async (
  drafts: readonly FactDraft[],
  caller: Principal,
  facts: Facts,
): Promise<readonly AppendVerdict[]> => {
  const beforeCommit = (_: unknown, verdicts: readonly AppendVerdict[]): Promise<void> =>
    Promise.reject(new Rehearsal(verdicts));
  try {
    return await facts.appendAll(drafts, caller, { exclusive: true, unmarked: true, beforeCommit });
  } catch (error) {
    if (error instanceof Rehearsal) return error.verdicts;
    throw error;
  }
};

const draftsOf = (outcomes: readonly (FactDraft | ServiceError)[]): readonly FactDraft[] =>
  outcomes.filter((outcome): outcome is FactDraft => !(outcome instanceof ServiceError));

/** Merges the results of valid drafts and the refusals of unreadable bodies, in the order of the request. */
const inOrder = (
  outcomes: readonly (FactDraft | ServiceError)[],
  verdicts: readonly AppendVerdict[],
): readonly AppendVerdict[] => {
  let judged = 0;
  return outcomes.map((outcome) => {
    if (outcome instanceof ServiceError) return { kind: 'rejected', error: outcome };
    const verdict = verdicts[judged++];
    if (verdict === undefined) throw new Error('an item of a batch was left without a verdict');
    return verdict;
  });
};

const refusalsNow = async (
  outcomes: readonly (FactDraft | ServiceError)[],
  caller: Principal,
  facts: Facts,
): Promise<readonly (ServiceError | undefined)[]> => {
  const refusals = await facts.refusals(draftsOf(outcomes), caller);
  let judged = 0;
  return outcomes.map((outcome) => (outcome instanceof ServiceError ? undefined : refusals[judged++]));
};

/** Returns the part of an item that enters the hash of its batch. */
const asked = (item: BodyItem): unknown => ('value' in item ? [item.value] : item.error.code);

/** An undeclared member may hold a number that JSON cannot express. The hash treats it as null. */
const requestHash = (request: string, body: unknown): string =>
  sha256Hex(`${request}\n${canonicalJson(JSON.parse(JSON.stringify(body)))}`);
