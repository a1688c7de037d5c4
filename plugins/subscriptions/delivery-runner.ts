import { BackgroundWork, type Clock, type Logger } from '../../kernel/plugin-api.ts';
import type { OutboxEvent } from './event-row.ts';
import {
  type ClaimedEvent,
  type Holder,
  LEASE_MS,
  type OutboxStore,
  type Outcome,
  type Report,
} from './outbox-store.ts';

/** The maximum numbers of concurrent requests of this process: to one host, and to all hosts. */
const HOST_REQUESTS = 4;
const ALL_REQUESTS = 64;
/** The maximum number of claimed events per host, so that a host that does not reply cannot block the others. */
const HOST_CLAIMS = 32;
/** The same for all hosts of one holder, because one caller may name a thousand hosts that do not reply. */
const HOLDER_CLAIMS = 64;
const CLAIMED_AT_ONCE = 64;
/** The age from which a claim is not used any more, because it would expire during a request of ten seconds. */
const CLAIM_USE_MS = LEASE_MS - 12_000;
/** The time for which a stop lets running requests finish. */
const STOP_GRACE_MS = 2_000;
/** The pause after another process has queued events, because that process probably delivers them itself. */
const FOREIGN_PAUSE_MS = 300;
/**
 * The time in milliseconds for which claims and reports are collected into one commit, because each commit delays
 * assertions.
 */
const GATHER_MS = 60;

export interface RunnerParts {
  readonly store: OutboxStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Delivers one event. Never rejects. */
  deliver(event: OutboxEvent): Promise<Outcome>;
}

interface Claim {
  readonly event: ClaimedEvent;
  readonly sinceMs: number;
}

interface Host {
  readonly waiting: Claim[];
  running: number;
}

/** The claims of one holder, over all hosts. */
interface HolderLoad {
  readonly holder: Holder;
  claims: number;
  running: number;
}

/**
 * Delivers due events in this process: claims them, sends them within the limits, and reports the results. Holds no
 * transaction during a request.
 */
export class DeliveryRunner {
  readonly #parts: RunnerParts;
  readonly #hosts = new Map<string, Host>();
  readonly #holders = new Map<string, HolderLoad>();
  readonly #requests = new Set<Promise<void>>();
  readonly #reports: Report[] = [];
  #state: 'waiting' | 'standing' | 'stopped' = 'waiting';
  readonly #looks: BackgroundWork;
  readonly #settling: BackgroundWork;
  /** True if some events could not be claimed yet. */
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

  /** Starts to look for due events, once the node accepts requests. */
  begin(): void {
    if (this.#state === 'waiting') this.#state = 'standing';
  }

  /** Looks for due events. Never rejects: the next look finds anything that this one missed. */
  look(): Promise<void> {
    return this.#state === 'standing' ? this.#looks.now() : Promise.resolve();
  }

  /** Looks for due events after a short pause, in which more events may be queued. */
  lookSoon(): void {
    if (this.#state === 'standing') this.#looks.soon(GATHER_MS);
  }

  /** Looks for due events after a longer pause, because another process has queued them and probably delivers them. */
  lookLater(): void {
    if (this.#state === 'standing') this.#looks.soon(FOREIGN_PAUSE_MS);
  }

  /**
   * Stops claiming, releases claims without a request, and lets running requests finish for a short time. May be called
   * repeatedly.
   */
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
    const busy = [...this.#holders.values()].filter(({ claims }) => claims >= HOLDER_CLAIMS);
    const found = await store.due(
      CLAIMED_AT_ONCE,
      full,
      busy.map(({ holder }) => holder),
    );
    const taken = this.#withinCaps(found);
    for (const tenantId of new Set(taken.map((event) => event.tenantId))) {
      const sinceMs = clock.monotonicMs();
      const claimed = await store.claim(
        tenantId,
        taken.filter((event) => event.tenantId === tenantId),
      );
      for (const event of claimed) {
        this.#hostOf(event).waiting.push({ event, sinceMs });
        this.#loadOf(event).claims += 1;
      }
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

  #loadOf({ holder }: ClaimedEvent): HolderLoad {
    const name = `${holder.tenantId}\n${holder.holderUri}`;
    const load = this.#holders.get(name) ?? { holder, claims: 0, running: 0 };
    this.#holders.set(name, load);
    return load;
  }

  /** Returns true if the holder has fewer requests than are free, so that places for other holders always remain. */
  #hasRoom({ running }: HolderLoad): boolean {
    return running < ALL_REQUESTS - this.#requests.size;
  }

  #pump(): void {
    for (const [name, host] of this.#hosts) {
      while (host.running < HOST_REQUESTS && this.#requests.size < ALL_REQUESTS) {
        const at = host.waiting.findIndex(({ event }) => this.#hasRoom(this.#loadOf(event)));
        const [claim] = at < 0 ? [] : host.waiting.splice(at, 1);
        if (claim === undefined) break;
        this.#start(claim, host);
      }
      if (sizeOf(host) === 0) this.#hosts.delete(name);
    }
    for (const [name, { claims }] of this.#holders) if (claims === 0) this.#holders.delete(name);
  }

  #start({ event, sinceMs }: Claim, host: Host): void {
    const { clock, deliver } = this.#parts;
    const isFresh = clock.monotonicMs() - sinceMs < CLAIM_USE_MS;
    const load = this.#loadOf(event);
    host.running += 1;
    load.running += 1;
    const request = (isFresh ? deliver(event) : Promise.resolve<Outcome>({ kind: 'untried', pauseMs: 0 })).then(
      (outcome) => {
        host.running -= 1;
        load.running -= 1;
        load.claims -= 1;
        this.#requests.delete(request);
        this.#report({ event, outcome });
        if (this.#state !== 'standing') return;
        // Claims more events before the last one is sent, so that requests to the host follow without a gap.
        if (this.#hasBacklog && host.waiting.length <= HOST_REQUESTS) void this.look();
        this.#pump();
      },
    );
    this.#requests.add(request);
  }

  /** Writes reports together that arrive within a moment, or during another write. */
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
