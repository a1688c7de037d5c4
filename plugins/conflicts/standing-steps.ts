import type { FactOutline, Hlc } from '../../kernel/plugin-api.ts';
import { type LiveFact, type Standing, standingOf, withFact } from './standing.ts';
import type { StoredStanding } from './standing-rows.ts';

type Named = Pick<FactOutline, 'id'>;

/** A change of what is live: one more fact, or what is left once something has ended. */
type Step<T extends Named> = { readonly since: Hlc } & (
  | { readonly added: T | undefined }
  | { readonly left: readonly T[] }
);

/**
 * How one transaction changes what is live in one place, fact by fact. Each fact has a stamp of its own, and a read as
 * of the stamp of one knows nothing of those after it.
 */
export class StandingSteps<T extends Named> {
  readonly #first: readonly T[];
  readonly #steps: Step<T>[] = [];

  constructor(live: readonly T[]) {
    this.#first = [...live];
  }

  /** The stamp of the last step. */
  get since(): Hlc | undefined {
    return this.#steps.at(-1)?.since;
  }

  /** All facts that are live after one of the steps. */
  get facts(): readonly T[] {
    const facts = new Map(this.#first.map((fact) => [fact.id, fact]));
    for (const step of this.#steps) {
      for (const fact of 'left' in step ? step.left : [step.added]) if (fact !== undefined) facts.set(fact.id, fact);
    }
    return [...facts.values()];
  }

  /** Nothing has ended; where the fact is not live, nothing has changed. */
  added(since: Hlc, fact: T | undefined): void {
    this.#steps.push({ since, added: fact });
  }

  ended(since: Hlc, left: readonly T[]): void {
    this.#steps.push({ since, left: [...left] });
  }

  /** The standings after each step, by when the facts expire. `before` where more facts are live than are known. */
  standings(mortal: ReadonlyMap<string, LiveFact>, nowMs: number, before?: Standing): readonly StoredStanding[] {
    const live = (facts: readonly T[]): LiveFact[] => facts.flatMap(({ id }) => mortal.get(id) ?? []);
    let standing = before ?? standingOf(live(this.#first), nowMs);
    return this.#steps.map((step) => {
      if ('left' in step) standing = standingOf(live(step.left), nowMs);
      else
        for (const fact of live(step.added === undefined ? [] : [step.added]))
          standing = withFact(standing, fact, nowMs);
      return { ...standing, since: step.since };
    });
  }
}
