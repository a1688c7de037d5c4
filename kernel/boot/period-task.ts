import { ContentSeal, FactStore, ServiceError } from '../../ports/ports.ts';
import type { ContentColumns } from '../store/content-border.ts';
import { dropEndedRows, expiringTables } from '../store/period-rows.ts';
import { repeatTask } from '../time/repeat-task.ts';
import { withinTime } from '../time/within-time.ts';
import type { Assembly } from './assembly.ts';
import { leftToStopMs } from './stop-node.ts';

/** How long the keys of a period seal new rows at least. */
const PERIOD_MS = 24 * 60 * 60 * 1_000;
const CHECK_MS = 60 * 60 * 1_000;

/** Deletes what no key opens any more, before a plugin reads it: see `dropEndedRows`. */
export const dropEnded = async (node: Assembly, store: FactStore, seal: ContentSeal | undefined): Promise<void> => {
  const { random } = node.options.adapters;
  if (seal !== undefined) await dropEndedRows(store, seal, { contents: contentsOf(node), random });
};

/**
 * Begins a period of the keys every day, now and while the node runs, and destroys those that no row needs. Does
 * nothing for a clear store.
 */
export const keepEndingPeriods = (node: Assembly): void => {
  const { container, options, stops } = node;
  if (!container.has(ContentSeal)) return;
  const { log, adapters } = options;
  const store = container.get(FactStore);
  const run = async (): Promise<void> => {
    const tables = (await expiringTables(store, contentsOf(node))).map(({ table }) => table);
    const limits = (await store.endPeriods?.({ tables, everyMs: PERIOD_MS })) ?? [];
    if (limits.length > 0) log.warn('some copies of the file of content keys still hold destroyed keys', { limits });
  };
  const failed = (error: unknown): void =>
    log.warn('destroying the keys of past periods failed; the node tries again within an hour', { error });
  const first = run().catch(failed);
  const end = repeatTask(adapters.clock, { intervalMs: CHECK_MS, run, failed });
  const stop = async (): Promise<void> => {
    await first;
    await end();
  };
  const late = () =>
    new ServiceError('unavailable', 'the task that destroys keys of past periods did not stop in time');
  stops.push('periods', () => withinTime(adapters.clock, leftToStopMs(node), stop, late));
};

const contentsOf = ({ plugins }: Assembly): readonly ContentColumns[] =>
  plugins.flatMap(({ plugin }) => plugin.contents ?? []);
