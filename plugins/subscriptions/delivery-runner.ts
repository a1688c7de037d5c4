import { BackgroundWork, type Clock, type Logger } from '../../kernel/plugin-api.ts';
import type { OutboxEvent } from './event-row.ts';
import { LEASE_MS, type OutboxStore, type Outcome, type Report } from './outbox-store.ts';

/** Requests of this process that are under way at once: to one host, and to all. */
const HOST_REQUESTS = 4;
const ALL_REQUESTS = 64;
/** Events of one host that this process may hold: what a host that never answers keeps from the others. */
const HOST_CLAIMS = 32;
const CLAIMED_AT_ONCE = 64;
/** Under an older claim nothing is sent any more: a request of ten seconds would outlast it. */
const CLAIM_USE_MS = LEASE_MS - 12_000;
/** How long a stop waits for requests that are under way. */
const STOP_GRACE_MS = 2_000;
/** How long events of other processes are left to these. */
const FOREIGN_PAUSE_MS = 300;
/**
 * How long events, and what became of them, are gathered: each claim and each report is a commit, for which assertions
 * wait.
 */
const GATHER_MS = 60;

export interface RunnerParts {
  readonly store: OutboxStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Never rejects. */
  deliver(event: OutboxEvent): Promise<Outcome>;
}

interface Claim {
  readonly event: OutboxEvent;
  readonly sinceMs: number;
}

interface Host {
  readonly waiting: Claim[];
  running: number;
}

/**
 * Delivers what is due, in this process: claims, sends under the caps, reports. Holds no transaction while a request is
 * under way.
 */
export class DeliveryRunner {
  readonly #parts: RunnerParts;
  readonly #hosts = new Map<string, Host>();
  readonly #requests = new Set<Promise<void>>();
  readonly #reports: Report[] = [];
  #state: 'waiting' | 'standing' | 'stopped' = 'waiting';
  readonly #looks: BackgroundWork;
  readonly #settling: BackgroundWork;
  /** Events that were found and could not be taken yet. */
  #hasBacklog = false;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    const { clock, log } = parts;
    this.#looks = new BackgroundWork({
      clock,
      work: () => this.#claimDue(),
      failed: (error) => log.warn('events could not be claimed; they will be tried again', { error }),
    });
    const lost = 'deliveries could not be written down; they are made again when their claims end';
    this.#settling = new BackgroundWork({
      clock,
      work: () => this.#settleAll(),
      failed: (error) => log.warn(lost, { error }),
    });
  }

  /** The node stands: from here on events are looked for. */
  begin(): void {
    if (this.#state === 'waiting') this.#state = 'standing';
  }

  /** Never rejects: what was not found now is found by the next look. */
  look(): Promise<void> {
    return this.#state === 'standing' ? this.#looks.now() : Promise.resolve();
  }

  /** Looks in a moment, in which more may come. */
  lookSoon(): void {
    if (this.#state === 'standing') this.#looks.soon(GATHER_MS);
  }

  /** Looks a little later: for what others have queued, and are likely to deliver. */
  lookLater(): void {
    if (this.#state === 'standing') this.#looks.soon(FOREIGN_PAUSE_MS);
  }

  /** Claims no more, gives back what was not begun, and waits a moment for what was. Idempotent. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    await this.#looks.stop();
    for (const { waiting } of this.#hosts.values()) {
      for (const { event } of waiting.splice(0)) this.#report({ event, outcome: { kind: 'untried', pauseMs: 0 } });
    }
    let cancel = (): void => {};
    const graceOver = new Promise<void>((resolve) => {
      cancel = this.#parts.clock.schedule(STOP_GRACE_MS, resolve);
    });
    await Promise.race([Promise.all(this.#requests), graceOver]);
    cancel();
    await this.#settling.stop();
    await this.#settleAll();
  }

  async #claimDue(): Promise<void> {
    const { store, clock } = this.#parts;
    const full = [...this.#hosts].filter(([, host]) => sizeOf(host) >= HOST_CLAIMS).map(([name]) => name);
    const found = await store.due(CLAIMED_AT_ONCE, full);
    const taken = this.#withinCaps(found);
    for (const tenantId of new Set(taken.map((event) => event.tenantId))) {
      const sinceMs = clock.monotonicMs();
      const claimed = await store.claim(
        tenantId,
        taken.filter((event) => event.tenantId === tenantId),
      );
      for (const event of claimed) this.#hostOf(event).waiting.push({ event, sinceMs });
      this.#pump();
    }
    this.#hasBacklog = found.length > taken.length || found.length === CLAIMED_AT_ONCE;
  }

  #withinCaps(found: readonly OutboxEvent[]): OutboxEvent[] {
    const room = new Map<string, number>();
    return found.filter(({ host }) => {
      const known = this.#hosts.get(host);
      const left = room.get(host) ?? HOST_CLAIMS - (known === undefined ? 0 : sizeOf(known));
      room.set(host, left - 1);
      return left > 0;
    });
  }

  #hostOf({ host }: OutboxEvent): Host {
    let known = this.#hosts.get(host);
    if (known === undefined) {
      known = { waiting: [], running: 0 };
      this.#hosts.set(host, known);
    }
    return known;
  }

  #pump(): void {
    for (const [name, host] of this.#hosts) {
      while (host.running < HOST_REQUESTS && this.#requests.size < ALL_REQUESTS) {
        const claim = host.waiting.shift();
        if (claim === undefined) break;
        this.#start(claim, host);
      }
      if (sizeOf(host) === 0) this.#hosts.delete(name);
    }
  }

  #start({ event, sinceMs }: Claim, host: Host): void {
    const { clock, deliver } = this.#parts;
    const isFresh = clock.monotonicMs() - sinceMs < CLAIM_USE_MS;
    host.running += 1;
    const request = (isFresh ? deliver(event) : Promise.resolve<Outcome>({ kind: 'untried', pauseMs: 0 })).then(
      (outcome) => {
        host.running -= 1;
        this.#requests.delete(request);
        this.#report({ event, outcome });
        if (this.#state !== 'standing') return;
        // Claimed again before the last one is done, so that the host does not wait for the store.
        if (this.#hasBacklog && host.waiting.length <= HOST_REQUESTS) void this.look();
        this.#pump();
      },
    );
    this.#requests.add(request);
  }

  /** Reports that come within a moment, or while others are written, are written together. */
  #report(report: Report): void {
    this.#reports.push(report);
    if (this.#state !== 'stopped') this.#settling.soon(GATHER_MS);
  }

  async #settleAll(): Promise<void> {
    while (this.#reports.length > 0) {
      const reports = this.#reports.splice(0);
      for (const tenantId of new Set(reports.map(({ event }) => event.tenantId))) {
        const own = reports.filter(({ event }) => event.tenantId === tenantId);
        await this.#parts.store.settle(tenantId, own).catch((error: unknown) => {
          this.#parts.log.warn('deliveries could not be written down; they are made again when their claims end', {
            error,
          });
        });
      }
    }
  }
}

const sizeOf = ({ waiting, running }: Host): number => waiting.length + running;
