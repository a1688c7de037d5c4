import { withinTime } from '../../kernel/internal-api.ts';
import { type Clock, ServiceError } from '../../kernel/plugin-api.ts';
import type { CardMaterial, CardSummariser } from './cards-api.ts';

/** The time in milliseconds after which a summary is aborted. The next caller then requests another one. */
export const SUMMARY_LIMIT_MS = 60_000;

export const tooLate = (): ServiceError => new ServiceError('unavailable', 'the summary took too long');

/** The summaries that are being written. */
export class RunningSummaries {
  readonly #summariser: CardSummariser;
  readonly #clock: Clock;
  readonly #running = new Set<AbortController>();

  constructor({ summariser, clock }: { readonly summariser: CardSummariser; readonly clock: Clock }) {
    this.#summariser = summariser;
    this.#clock = clock;
  }

  /** Returns the summary. Rejects with `unavailable` after the time limit, and when it is aborted. */
  async run(material: CardMaterial): Promise<string> {
    const controller = new AbortController();
    const { signal } = controller;
    let giveUp = (): void => {};
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = () => reject(new ServiceError('unavailable', 'the summary was given up'));
    });
    signal.addEventListener('abort', giveUp);
    this.#running.add(controller);
    try {
      const work = () => Promise.race([this.#summariser.summarise(material, signal), givenUp]);
      return await withinTime(this.#clock, SUMMARY_LIMIT_MS, work, tooLate);
    } finally {
      this.#running.delete(controller);
      // The caller has its summary or an error, so the end of the signal is no further error.
      signal.removeEventListener('abort', giveUp);
      controller.abort();
    }
  }

  abort(): void {
    for (const controller of this.#running) controller.abort();
  }
}
