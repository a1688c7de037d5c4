import { DEFAULT_TENANT, type FactStore, ServiceError, type SqlValue, type WriteTransaction } from '../ports/ports.ts';

/** The file of keys that a sealed store belongs to, as the settings of the store name it. */
export interface SealMark {
  /** The id of the file. */
  readonly id: string;
  /** The lowest version that the file may have. */
  readonly version: number;
  /** The id of the root with which the rows are sealed. A rotation draws another one and drops this one. */
  readonly root: number;
}

/** A rewriting of the whole store. */
export type Conversion = 'on' | 'off' | 'rotate';

/** Whether and how the contents of a store are sealed. */
export interface SealState {
  /** True for a store that no node has started on, so that it holds no fact. */
  readonly isNew: boolean;
  /** Undefined for a store whose contents are clear. */
  readonly mark: SealMark | undefined;
  /** The rewriting that has begun and is not finished. */
  readonly unfinished: UnfinishedConversion | undefined;
  /** The keys that sealed the store before it was opened. */
  readonly former?: SealMark | undefined;
}

/** How far a rewriting has come. */
export interface UnfinishedConversion {
  readonly to: Conversion;
  /** The table that is being rewritten, and the key of its last rewritten row. */
  readonly table: string | null;
  readonly after: readonly SqlValue[] | null;
}

const TABLE = 'node_settings';
const FACTS = 'facts';
/** The setting with the mark. The store reads it before each write. */
const KEY = 'content_seal';

/** The setting with the mark of a store that was opened, so that nothing is sealed with its keys again. */
const FORMER = 'content_seal_former';

/** The setting of an unfinished rewriting. While it is there, the store permits that facts change. */
const CONVERSION = 'content_seal_conversion';

export const NEW_STORE: SealState = { isNew: true, mark: undefined, unfinished: undefined };

/** Reads the state of an open store of any version. */
export const readSealState = async (store: FactStore): Promise<SealState> => {
  const tables = await store.tables();
  if (!tables.includes(TABLE)) return NEW_STORE;
  const rows = await store.read((snapshot) => snapshot.select(TABLE, { key: ['node_id', KEY, CONVERSION, FORMER] }));
  const stored = new Map(rows.map(({ key, value }) => [key, String(value)]));
  const mark = stored.get(KEY);
  const unfinished = stored.get(CONVERSION);
  const former = stored.get(FORMER);
  const isClear = mark === undefined && unfinished === undefined;
  if (isClear && tables.includes(FACTS) && (await holdsSealedFacts(store))) throw damaged(KEY);
  return {
    isNew: !stored.has('node_id'),
    mark: mark === undefined ? undefined : parseMark(KEY, mark),
    unfinished: unfinished === undefined ? undefined : parseConversion(unfinished),
    former: former === undefined ? undefined : parseMark(FORMER, former),
  };
};

/** The number of facts that tell a sealed store from a clear one. Erased facts of both are alike. */
const FACTS_LOOKED_AT = 100;

/**
 * Returns whether the oldest or the newest facts are sealed. A store that lost its mark would store new facts in the
 * clear.
 */
const holdsSealedFacts = (store: FactStore): Promise<boolean> =>
  store.read(async (snapshot) => {
    for (const direction of ['asc', 'desc'] as const) {
      const order = ['tenant_id', 'number'].map((column) => ({ column, order: direction }));
      const facts: readonly Readonly<Record<string, unknown>>[] = await snapshot
        .table(FACTS)
        .select('*')
        .orderBy(order)
        .limit(FACTS_LOOKED_AT);
      if (facts.some(({ sealed }) => sealed !== null && sealed !== undefined)) return true;
    }
    return false;
  });

/** Saves how far a rewriting has come, in the transaction of its rows. Undefined ends it. */
export const saveConversion = async (
  transaction: WriteTransaction,
  state: UnfinishedConversion | undefined,
): Promise<void> => {
  await transaction.table(TABLE).where({ key: CONVERSION }).delete();
  if (state !== undefined) await transaction.insertRows(TABLE, [{ key: CONVERSION, value: JSON.stringify(state) }]);
};

/** Says which keys seal the store. */
export const saveMark = (transaction: WriteTransaction, mark: SealMark): Promise<void> =>
  replaceMark(transaction, KEY, mark);

/** Says that the store is clear, and which keys have sealed it before. */
export const saveFormer = (transaction: WriteTransaction, mark: SealMark): Promise<void> =>
  replaceMark(transaction, FORMER, mark);

const replaceMark = async (transaction: WriteTransaction, key: string, mark: SealMark): Promise<void> => {
  await transaction.table(TABLE).whereIn('key', [KEY, FORMER]).delete();
  await transaction.insertRows(TABLE, [{ key, value: spellMark(mark) }]);
};

/** Says in a store without facts that its contents are sealed. Rejects where another process has named other keys. */
export const markSealed = (store: FactStore, mark: SealMark): Promise<void> =>
  store.write(DEFAULT_TENANT, async (transaction) => {
    const [row] = await transaction.select(TABLE, { key: KEY });
    if (row === undefined) await transaction.insertRows(TABLE, [{ key: KEY, value: spellMark(mark) }]);
    else if (parseMark(KEY, String(row['value'])).id !== mark.id) throw otherKeys();
  });

const spellMark = ({ id, version, root }: SealMark): string => JSON.stringify({ id, version, root });

const parseMark = (key: string, text: string): SealMark => {
  const { id, version, root } = membersOf(key, text);
  if (typeof id !== 'string' || id === '' || !isCounter(version) || !isCounter(root)) throw damaged(key);
  return { id, version, root };
};

const parseConversion = (text: string): UnfinishedConversion => {
  const { to, table, after } = membersOf(CONVERSION, text);
  const isPlace =
    after === null || (Array.isArray(after) && after.every((value) => ['string', 'number'].includes(typeof value)));
  if (!isConversion(to) || !(table === null || typeof table === 'string') || !isPlace) throw damaged(CONVERSION);
  return { to, table, after };
};

const isConversion = (to: unknown): to is Conversion => to === 'on' || to === 'off' || to === 'rotate';

/** Versions and roots are counted from 1 on. */
const isCounter = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

const membersOf = (key: string, text: string): Readonly<Record<string, unknown>> => {
  try {
    return { ...(JSON.parse(text) as object) } as Record<string, unknown>;
  } catch {
    throw damaged(key);
  }
};

/** A person may repair the setting, but a start must not guess which keys seal the store. */
const damaged = (key: string): ServiceError =>
  new ServiceError(
    'unavailable',
    `the row ${key} of the table ${TABLE} is damaged or gone, so nothing says how this store is sealed`,
    {
      hint: 'restore a backup, which has the row; "fact-memory-node backup list" shows them',
    },
  );

const otherKeys = (): ServiceError =>
  new ServiceError('conflict', 'another process has just sealed this store with other content keys', {
    hint: 'name one file for all hosts in SVC_ENCRYPTION_KEY_STORE, which each of them can write',
  });
