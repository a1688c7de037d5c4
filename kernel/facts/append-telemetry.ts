import type { SpanPlace } from '../telemetry/span.ts';
import type { Telemetry } from '../telemetry/telemetry-api.ts';
import type { AppendVerdict } from './append-api.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 1_024] as const;
/** The maximum number of request spans to which the span of a group links. */
const MOST_LINKS = 64;

/** A call that has waited for its group. */
export interface TimedCall {
  /** The monotonic time at which it joined the queue; 0 when nothing measures. */
  readonly joinedMs: number;
  /** The span of the caller. */
  readonly place: SpanPlace | undefined;
}

/** Records metrics and spans of appends. A single fact costs at most one counter in memory. */
export class AppendTelemetry {
  readonly #telemetry: Telemetry;
  readonly #facts;
  readonly #sizes;
  readonly #seconds;
  readonly #waits;

  constructor(telemetry: Telemetry, waiting: () => number) {
    this.#telemetry = telemetry;
    this.#facts = telemetry.counter({
      name: 'append_facts_total',
      help: 'Facts that were to be stored: stored, known before, or refused',
      labels: ['result'],
    });
    this.#sizes = telemetry.histogram({
      name: 'append_group_facts',
      help: 'Facts that shared one transaction',
      buckets: SIZES,
    });
    this.#seconds = telemetry.histogram({
      name: 'append_group_seconds',
      help: 'Time of one shared transaction, from its begin to its commit',
      buckets: SECONDS,
    });
    this.#waits = telemetry.histogram({
      name: 'append_wait_seconds',
      help: 'Time that a call waited for its transaction to begin, one value for the first call of each group',
      buckets: SECONDS,
    });
    telemetry.gauge({ name: 'append_waiting_calls', help: 'Calls that wait for their transaction' }, waiting);
  }

  get isHeard(): boolean {
    return this.#facts.isHeard;
  }

  place(): SpanPlace | undefined {
    return this.#telemetry.activeSpan();
  }

  /** Runs a shared transaction in a span, with links to the spans of its calls. */
  span<T>(waiting: readonly TimedCall[], work: () => Promise<T>): Promise<T> {
    if (!this.#telemetry.isTracing) return work();
    const links = waiting.flatMap(({ place }) => place ?? []).slice(0, MOST_LINKS);
    const attributes = { 'append.calls': waiting.length };
    return this.#telemetry.span('append group', { kind: 'consumer', parent: 'none', links, attributes }, work);
  }

  /** Records the wait of the first call, which is the longest of the group. */
  began(waiting: readonly TimedCall[], nowMs: number): void {
    const [first] = waiting;
    if (first !== undefined && first.joinedMs > 0) this.#waits.observe((nowMs - first.joinedMs) / 1_000);
  }

  committed(verdicts: readonly (readonly AppendVerdict[])[], tookMs: number): void {
    let stored = 0;
    let known = 0;
    let refused = 0;
    for (const group of verdicts) {
      for (const verdict of group) {
        if (verdict.kind === 'rejected') refused += 1;
        else if (verdict.existing) known += 1;
        else stored += 1;
      }
    }
    if (stored > 0) this.#facts.add(stored, STORED);
    if (known > 0) this.#facts.add(known, KNOWN);
    this.refused(refused);
    this.#sizes.observe(stored + known + refused);
    this.#seconds.observe(tookMs / 1_000);
  }

  refused(count: number): void {
    if (count > 0) this.#facts.add(count, REFUSED);
  }
}

const STORED = { result: 'stored' } as const;
const KNOWN = { result: 'known' } as const;
const REFUSED = { result: 'refused' } as const;
