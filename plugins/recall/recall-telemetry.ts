import type { Clock, Telemetry } from '../../kernel/plugin-api.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const;
const CANDIDATES = [0, 10, 25, 50, 100, 250, 500, 1_000] as const;

/** A measured step of every recall. */
export type RecallStep = 'embed' | 'wait' | 'search' | 'summary' | 'score';

/** Measures the time of each step of a recall. */
export class RecallTelemetry {
  readonly #telemetry: Telemetry;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #seconds;
  readonly #candidates;

  constructor(telemetry: Telemetry, clock: Pick<Clock, 'monotonicMs'>) {
    this.#telemetry = telemetry;
    this.#clock = clock;
    this.#seconds = telemetry.histogram({
      name: 'recall_stage_seconds',
      help: 'Time of the steps of a recall: the vector of the query, the wait for the index, search, summary and scores',
      labels: ['stage'],
      buckets: SECONDS,
    });
    this.#candidates = telemetry.histogram({
      name: 'recall_scored_facts',
      help: 'Facts that a recall scored before it packed them',
      buckets: CANDIDATES,
    });
  }

  /** Runs a step, measures it and records a span. */
  async step<T>(stage: RecallStep, work: () => Promise<T>): Promise<T> {
    if (!this.#seconds.isHeard && !this.#telemetry.isTracing) return work();
    const begunMs = this.#clock.monotonicMs();
    try {
      return await this.#telemetry.span(`recall ${stage}`, {}, work);
    } finally {
      this.#seconds.observe((this.#clock.monotonicMs() - begunMs) / 1_000, { stage });
    }
  }

  scored(count: number): void {
    this.#candidates.observe(count);
  }
}
