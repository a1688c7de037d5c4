import type { OfflineStore, StoreRestore, UpgradePlan } from '../kernel/commands/offline-store.ts';
import { createStoreCopies } from '../kernel/leases/store-copies.ts';
import { type FactStore, ServiceError } from '../ports/ports.ts';
import type { Node } from './create-node.ts';
import { markOpenStore } from './mark-store-restored.ts';
import { requireStore } from './require-store.ts';
import { adoptKeys } from './restored-keys.ts';

/** Creates the access to the store of a node that was composed but not started. */
export const createOfflineStore = (
  {
    config,
    kernel,
    log,
    clock,
    keySource,
    seal,
  }: Pick<Node, 'config' | 'kernel' | 'log' | 'clock' | 'keySource' | 'seal'>,
  open: () => Promise<FactStore>,
): OfflineStore => {
  const onStore = async <T>(work: (store: FactStore) => Promise<T>): Promise<T> => {
    await requireStore(config, open);
    const store = await open();
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const { adapter, settings } = config.store;
  return {
    withCopies: (work) => onStore((store) => work(createStoreCopies({ store, clock, log, placeKeys: seal.placeKeys }))),
    restore: async (request: StoreRestore) => {
      if (adapter.restore === undefined) throw cannotRestore();
      let stepped = { fromMs: 0, toMs: 0 };
      const place = await adapter.restore(settings, {
        ...request,
        migrations: await kernel.knownMigrations(),
        prepare: async (store) => {
          await adoptKeys(store, { config, keySource, keysIn: request.keysIn });
          await store.migrate(kernel.migrations);
          stepped = await markOpenStore(store, config);
        },
      });
      return { ...place, ...stepped };
    },
    assemble: async (request) => {
      if (adapter.assemble === undefined) throw cannotAssemble();
      return adapter.assemble(request);
    },
    inspectUpgrade: () =>
      onStore(async (store): Promise<UpgradePlan> => {
        const sizes = await adapter.size?.(settings);
        return {
          ...(await plannedFor(store, kernel)),
          storeBytes: sizes?.storeBytes ?? null,
          freeBytes: sizes?.freeBytes ?? null,
        };
      }),
  };
};

type Planned = Omit<UpgradePlan, 'storeBytes' | 'freeBytes'>;

const plannedFor = async (store: FactStore, kernel: Node['kernel']): Promise<Planned> => {
  const tables = await store.tables();
  const versions: { readonly version: string }[] = tables.includes('schema_migrations')
    ? await store.read((snapshot) => snapshot.table('schema_migrations').select('version'))
    : [];
  const newest =
    versions
      .map(({ version }) => version)
      .sort()
      .at(-1) ?? null;
  const facts = tables.includes('facts') ? await countFacts(store) : 0;
  const problems = await kernel.inspect(store, () => undefined);
  // Skips the inspection of a store that a start would refuse.
  const pending = problems.length > 0 ? [] : await store.migrate(kernel.migrations, { isTrial: true });
  return { pending: pending.map(({ number, name, owner }) => ({ number, name, owner })), newest, facts, problems };
};

const countFacts = (store: FactStore): Promise<number> =>
  store.read(async (snapshot) => {
    const [row] = (await snapshot.table('facts').count({ count: '*' })) as { readonly count: number | string }[];
    return Number(row?.count ?? 0);
  });

const cannotRestore = (): ServiceError =>
  new ServiceError('unavailable', 'the adapter of this store cannot restore a store', {
    hint: 'restore it with the tools of its database, and run "fact-memory-node restored" before the next start',
  });

const cannotAssemble = (): ServiceError =>
  new ServiceError('unavailable', 'the adapter of this store records no increments', {
    hint: 'only SQLite does; docs/guides/recover.md says how PostgreSQL goes back to a point in time',
  });
