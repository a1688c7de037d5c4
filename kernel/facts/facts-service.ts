import {
  all,
  type Clock,
  type ContentSeal,
  equals,
  type FactStore,
  type PreparedFact,
  type Principal,
  ServiceError,
  type StoredFact,
} from '../../ports/ports.ts';
import type { Random } from '../crypto/random.ts';
import type { HookCaller } from '../hooks/define-hook.ts';
import { nodePrincipal } from '../identity/node-principal.ts';
import type { NodeSelf } from '../identity/node-self.ts';
import { narrowSnapshot } from '../store/narrow-transaction.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import type { Telemetry } from '../telemetry/telemetry-api.ts';
import { inTurns } from '../time/in-turns.ts';
import type { AppendOptions, AppendVerdict } from './append-api.ts';
import { appendRead } from './append-hooks.ts';
import { AppendQueue } from './append-queue.ts';
import { authorise } from './append-run.ts';
import { AppendTelemetry } from './append-telemetry.ts';
import type { AssertionRules } from './assertion-rights.ts';
import type { ClockWatch } from './clock-watch.ts';
import { DraftedFact, type DraftingParts, type PreparedItem } from './drafted-fact.ts';
import { evaluateFilter } from './evaluate-filter.ts';
import type { Appender, FactDraft, Notes } from './fact-draft.ts';
import { openReader, type ReadAim } from './fact-reader.ts';
import type { Facts } from './facts.ts';
import type { GardenAccess } from './garden-access.ts';
import { PendingItem } from './pending-item.ts';
import { momentOf, type ReadMoment } from './read-moment.ts';
import type { FactReader, ReadPurpose } from './reader-api.ts';

export interface FactsParts {
  readonly store: FactStore;
  readonly clock: Clock;
  readonly clockWatch: ClockWatch;
  readonly telemetry: Telemetry;
  readonly random: Random;
  readonly hooks: HookCaller;
  readonly self: NodeSelf;
  readonly rules: AssertionRules;
  /** Undefined where the store is clear. */
  readonly seal?: ContentSeal | undefined;
  /** Returns the access to gardens. Called at each use, because plugins are set up later than this service. */
  readonly gardens: () => GardenAccess | undefined;
}

/** Estimates the size of a fact, to limit the size of a group. */
const weightOf = ({ value }: PreparedFact): number => FACT_OVERHEAD_BYTES + String(value.v).length;
const FACT_OVERHEAD_BYTES = 512;

/** Creates the facts service on one store. `close` waits for pending appends. */
export const createFacts = (parts: FactsParts): Facts & { close(): Promise<void> } => {
  return new FactsService(parts);
};

class FactsService implements Facts {
  readonly #parts: FactsParts;
  readonly #queues = new Map<string, AppendQueue>();
  readonly #measured: AppendTelemetry;
  readonly #drafting: DraftingParts;
  #closed = false;
  /** How many times plugins have called `answersChanged`. */
  #changes = 0;

  constructor(parts: FactsParts) {
    this.#parts = parts;
    const { random, rules, self, seal } = parts;
    this.#drafting = { random, names: self.names, seal, ...rules };
    const waiting = (): number => [...this.#queues.values()].reduce((sum, queue) => sum + queue.waiting, 0);
    this.#measured = new AppendTelemetry(parts.telemetry, waiting);
  }

  async append(draft: FactDraft, caller: Principal, options: AppendOptions = {}) {
    this.#requireOpen();
    const appender: Appender = { caller, origin: options.origin ?? 'client' };
    const items = await this.#prepare([draft], appender);
    const { fact, refusal } = items[0] as PreparedItem;
    if (refusal !== undefined) {
      this.#measured.refused(1);
      throw refusal;
    }
    const [verdict] = await this.#queueOf(caller.tenantId).join({ items, appender, options, bytes: weightOf(fact) });
    if (verdict === undefined) throw new Error('an append was answered without a verdict');
    if (verdict.kind === 'rejected') throw verdict.error;
    return { view: verdict.view, existing: verdict.existing };
  }

  async appendAll(
    drafts: readonly FactDraft[],
    caller: Principal,
    options: AppendOptions = {},
  ): Promise<readonly AppendVerdict[]> {
    this.#requireOpen();
    const appender: Appender = { caller, origin: options.origin ?? 'client' };
    const items = await this.#prepare(drafts, appender);
    const refused = items.flatMap(({ refusal }): AppendVerdict[] =>
      refusal === undefined ? [] : [{ kind: 'rejected', error: refusal }],
    );
    if (refused.length === items.length) {
      this.#measured.refused(refused.length);
      return refused;
    }
    const bytes = items.reduce((sum, { fact }) => sum + weightOf(fact), 0);
    return this.#queueOf(caller.tenantId).join({ items, appender, options, bytes });
  }

  #requireOpen(): void {
    if (this.#closed)
      throw new ServiceError('unavailable', 'the node is stopping', { headers: { 'Retry-After': '5' } });
    if (this.#parts.store.insideWrite?.()) {
      throw new Error('inside a write, facts follow by being returned from fact:appended');
    }
  }

  async refusals(drafts: readonly FactDraft[], caller: Principal): Promise<readonly (ServiceError | undefined)[]> {
    const { store, clock, hooks } = this.#parts;
    const appender: Appender = { caller, origin: 'client' };
    const items = (await this.#prepare(drafts, appender)).map((item) => new PendingItem(item, appender));
    await store.read((wide) => authorise(hooks, { items, snapshot: narrowSnapshot(wide), nowMs: clock.nowMs() }));
    return items.map((item) => item.refusal);
  }

  /** Runs the steps before the transaction. */
  async #prepare(drafts: readonly FactDraft[], appender: Appender): Promise<PreparedItem[]> {
    const { hooks, clock } = this.#parts;
    const drafting = this.#drafting;
    const items = drafts.map((draft) => new DraftedFact(draft, appender, drafting.names));
    if (hooks.hasHandlers(appendRead)) await hooks.collect(appendRead, { items, caller: appender.caller });
    const nowMs = clock.nowMs();
    const [first] = items;
    if (first !== undefined && items.length === 1) return [first.prepare(drafting, nowMs)];
    const prepared: PreparedItem[] = [];
    await inTurns(items, (item) => void prepared.push(item.prepare(drafting, nowMs)));
    return prepared;
  }

  read<T>(
    caller: Principal,
    purpose: ReadPurpose,
    work: (reader: FactReader) => Promise<T>,
    notes?: Notes,
  ): Promise<T> {
    return this.#parts.store.read((wide) =>
      this.#readIn({ snapshot: narrowSnapshot(wide), caller, purpose, notes }, work),
    );
  }

  readIn<T>(
    snapshot: PluginSnapshot,
    caller: Principal,
    purpose: ReadPurpose,
    work: (reader: FactReader) => Promise<T>,
  ): Promise<T> {
    return this.#readIn({ snapshot, caller, purpose, notes: undefined }, work);
  }

  async #readIn<T>(aim: Omit<ReadAim, keyof ReadMoment>, work: (reader: FactReader) => Promise<T>): Promise<T> {
    const moment = momentOf(aim.notes, this.#parts.clock.nowMs());
    return work(await openReader(this.#readerParts(), { ...aim, ...moment }));
  }

  version(): string | undefined {
    const committed = this.#parts.store.version?.();
    return committed === undefined ? undefined : `${committed} ${this.#changes}`;
  }

  answersChanged(): void {
    this.#changes += 1;
  }

  async isVisible(fact: StoredFact, reader: FactReader): Promise<boolean> {
    const constraint = await reader.constraint('visible');
    return evaluateFilter(
      constraint,
      fact,
      async (node) =>
        (await reader.snapshot.count(all(equals('tenantId', fact.tenantId), equals('id', fact.id), node))) > 0,
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const queue of this.#queues.values()) await queue.idle();
  }

  #queueOf(tenantId: string): AppendQueue {
    const known = this.#queues.get(tenantId);
    if (known !== undefined) return known;
    const { rules, self, ...parts } = this.#parts;
    const { names } = self;
    const queue = new AppendQueue({
      ...parts,
      ...rules,
      names,
      nodeId: self.nodeId,
      tenantId,
      measured: this.#measured,
      node: nodePrincipal(names, tenantId),
      reader: (caller, snapshot, nowMs) =>
        openReader(this.#readerParts(), { caller, snapshot, nowMs, purpose: 'append', notes: undefined }),
    });
    this.#queues.set(tenantId, queue);
    return queue;
  }

  #readerParts() {
    const { hooks, self, gardens } = this.#parts;
    return { hooks, names: self.names, gardens };
  }
}
