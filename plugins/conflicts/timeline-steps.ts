import { inTurns } from '../../kernel/internal-api.ts';
import type { FactOutline, Hlc } from '../../kernel/plugin-api.ts';
import type { StoredTimeline } from './timeline-rows.ts';
import { canTake, type LiveFact, timelineOf, type WinnerTimeline, withFact } from './winner-timeline.ts';

/** A change of the live facts: one more fact, or the remaining facts after some have ended. */
type Step<T extends Pick<FactOutline, 'id'>> = { readonly since: Hlc } & (
  | { readonly added: T | undefined }
  | { readonly left: readonly T[] }
);

/**
 * The changes that one transaction makes to the live facts of one triple, fact by fact. Each fact has its own stamp,
 * and a read as of that stamp must not see later facts.
 */
export class TimelineSteps<T extends Pick<FactOutline, 'id'>> {
  readonly #first: readonly T[];
  readonly #steps: Step<T>[] = [];

  constructor(live: readonly T[]) {
    this.#first = [...live];
  }

  get since(): Hlc | undefined {
    return this.#steps.at(-1)?.since;
  }

  /** Returns all facts that are live after at least one step. */
  get facts(): readonly T[] {
    const facts = new Map(this.#first.map((fact) => [fact.id, fact]));
    for (const step of this.#steps) {
      for (const fact of 'left' in step ? step.left : [step.added]) if (fact !== undefined) facts.set(fact.id, fact);
    }
    return [...facts.values()];
  }

  /** Adds a step that ends no fact. `fact` is undefined if it is not live. */
  added(since: Hlc, fact: T | undefined): void {
    this.#steps.push({ since, added: fact });
  }

  ended(since: Hlc, left: readonly T[]): void {
    this.#steps.push({ since, left: [...left] });
  }

  /** Computes the timeline after each step. `before` is needed if there are too many live facts to know all of them. */
  async timelines(
    mortal: ReadonlyMap<string, LiveFact>,
    nowMs: number,
    before?: WinnerTimeline,
  ): Promise<readonly StoredTimeline[]> {
    const live = (facts: readonly T[]): LiveFact[] => facts.flatMap(({ id }) => mortal.get(id) ?? []);
    let facts = live(this.#first);
    let timeline = before ?? timelineOf(facts, nowMs);
    const timelines: StoredTimeline[] = [];
    await inTurns(this.#steps, (step) => {
      if ('left' in step) {
        facts = live(step.left);
        timeline = timelineOf(facts, nowMs);
      } else {
        for (const fact of live(step.added === undefined ? [] : [step.added])) {
          facts.push(fact);
          timeline = canTake(timeline, [fact], nowMs) ? withFact(timeline, fact, nowMs) : timelineOf(facts, nowMs);
        }
      }
      timelines.push({ ...timeline, since: step.since });
    });
    return timelines;
  }
}
