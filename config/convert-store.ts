import { openKeys, readKeyFile, replaceKeyFile, spellKeys } from '../adapters/sealed/content-key-file.ts';
import { type ContentKeys, freshKeys, withFreshRoot, withPresentRootOnly } from '../adapters/sealed/content-keys.ts';
import { sealWith } from '../adapters/sealed/content-seal.ts';
import { convertFacts, type FactConversion } from '../adapters/sql/convert-facts.ts';
import { formOf } from '../adapters/sql/sealed-form.ts';
import type { Progress } from '../kernel/command-api.ts';
import { valueKey } from '../kernel/facts/fact-value.ts';
import { createServiceNames } from '../kernel/identity/service-names.ts';
import type { ContentColumns } from '../kernel/store/content-border.ts';
import {
  type ContentSeal,
  DEFAULT_TENANT,
  type FactStore,
  type KeySource,
  ServiceError,
  type SqlValue,
  type WriteTransaction,
} from '../ports/ports.ts';
import { createKeyFile } from './content-key-place.ts';
import { convertTexts } from './convert-texts.ts';
import { convertWinners, WINNERS } from './convert-winners.ts';
import type { Node } from './create-node.ts';
import { type Conversion, readSealState, saveConversion, saveMark, type UnfinishedConversion } from './seal-state.ts';
import { noKeyFile } from './store-seal.ts';

export interface ConversionParts {
  readonly node: Pick<Node, 'config' | 'kernel' | 'seal' | 'contents'>;
  readonly openClear: () => Promise<FactStore>;
  /** The path of the file of content keys. */
  readonly path: string;
  readonly source: KeySource;
  readonly progress: Pick<Progress, 'update' | 'say'>;
}

const FACTS = 'facts';
/** The rows of one transaction. A killed command loses at most so many. */
const ROWS_AT_ONCE = 100;

/** The seals of a store before and after a rewriting; undefined where it is clear. */
interface Seals {
  readonly from: ContentSeal | undefined;
  readonly to: ContentSeal | undefined;
  /** Opens texts of both forms. */
  readonly both: ContentSeal;
  readonly keys: ContentKeys;
}

/**
 * Seals the whole store, opens it, or seals it with new keys, in pieces. A transaction rewrites some rows and records
 * how far it has come, so that a killed run goes on from there. Returns sentences about remains of the former form.
 */
export const convertStore = async (parts: ConversionParts, to: Conversion): Promise<readonly string[]> => {
  const store = await parts.openClear();
  try {
    const state = await begin(parts, store, to);
    const seals = await sealsOf(parts, to);
    await rewrite(parts, store, state, seals);
    return await finish(parts, store, to, seals);
  } finally {
    await store.close();
  }
};

/** Checks that the rewriting fits the store. Returns how far it has come. */
const begin = async (
  { path, source }: ConversionParts,
  store: FactStore,
  to: Conversion,
): Promise<UnfinishedConversion> => {
  const { mark, unfinished } = await readSealState(store);
  if (unfinished !== undefined) {
    if (unfinished.to === to) return unfinished;
    throw refused(`"encryption ${unfinished.to}" is not finished`, 'run that command again first');
  }
  if (to === 'on' && mark !== undefined) throw refused('the store is sealed already');
  if (to !== 'on' && mark === undefined) throw refused('the store is not sealed');
  const text = await readKeyFile(path);
  if (to === 'on' && text === undefined) await createKeyFile(path, await spellKeys(freshKeys(), source));
  if (to !== 'on' && text === undefined) throw noKeyFile(path);
  const keys = await readKeys(path, source);
  // The new root is in the file before anything is sealed with it. One of a run that was killed here is used.
  if (to === 'rotate' && keys.roots.length === 1) {
    await replaceKeyFile(path, await spellKeys(withFreshRoot(keys), source));
  }
  const state: UnfinishedConversion = { to, table: null, after: null };
  await store.write(DEFAULT_TENANT, (transaction) => saveConversion(transaction, state));
  return state;
};

const readKeys = async (path: string, source: KeySource): Promise<ContentKeys> => {
  const text = await readKeyFile(path);
  if (text === undefined) throw noKeyFile(path);
  return openKeys(text, source, path);
};

const sealsOf = async ({ path, source }: ConversionParts, to: Conversion): Promise<Seals> => {
  const keys = await readKeys(path, source);
  const both = sealWith(keys, { path, source });
  if (to === 'on') return { from: undefined, to: both, both, keys };
  if (to === 'off') return { from: both, to: undefined, both, keys };
  // Content ids do not say which root has hidden them.
  const former = sealWith({ ...keys, roots: keys.roots.slice(0, -1) }, { path, source });
  return { from: former, to: both, both, keys };
};

const rewrite = async (
  { node, progress }: ConversionParts,
  store: FactStore,
  begun: UnfinishedConversion,
  seals: Seals,
): Promise<void> => {
  const names = createServiceNames(node.config.node.serviceName);
  const facts: FactConversion = {
    from: formOf(seals.from),
    to: formOf(seals.to),
    clearKey: (value) => valueKey(value, names),
  };
  const there = new Set(await store.tables());
  const tables = (await node.contents()).filter(({ table }) => there.has(table));
  const winners = Object.keys(WINNERS).filter((table) => there.has(table));
  const order = [FACTS, ...winners, ...tables.map(({ table }) => table)];
  let rows = 0;
  let at = placeIn(order, begun.table);
  let after = begun.after ?? undefined;
  while (at < order.length) {
    const table = order[at] as string;
    const done = await store.write(DEFAULT_TENANT, async (transaction) => {
      const piece =
        table === FACTS
          ? await factsPiece(transaction, after, facts)
          : winners.includes(table)
            ? await convertWinners(transaction, table, after, ROWS_AT_ONCE)
            : await convertTexts(transaction, tables[at - 1 - winners.length] as ContentColumns, after, ROWS_AT_ONCE, {
                from: seals.both,
                to: seals.to,
              });
      const next = piece === undefined ? { table: order[at + 1] ?? '', after: null } : { table, after: piece.last };
      await saveConversion(transaction, { to: begun.to, ...next });
      return piece;
    });
    const isFirst = rows === 0;
    rows += done?.rows ?? 0;
    if (isFirst && rows > 0)
      progress.say(`the first ${rows} rows are rewritten; after a break the same command goes on`);
    progress.update(rows);
    after = done?.last;
    if (done === undefined) at += 1;
  }
};

/** Returns the place of the table to go on with. An empty name says that all tables are done. */
const placeIn = (order: readonly string[], table: string | null): number => {
  if (table === null) return 0;
  const place = table === '' ? order.length : order.indexOf(table);
  if (place < 0)
    throw refused(`no plugin brings the table ${table}`, 'run the command with the plugins of its first run');
  return place;
};

const factsPiece = async (
  transaction: WriteTransaction,
  after: readonly SqlValue[] | undefined,
  conversion: FactConversion,
): Promise<{ readonly last: readonly SqlValue[]; readonly rows: number } | undefined> => {
  const from = after && { tenantId: String(after[0]), number: Number(after[1]) };
  const piece = await convertFacts(transaction, from, ROWS_AT_ONCE, conversion);
  return piece && { rows: piece.rows, last: [piece.last.tenantId, piece.last.number] };
};

const finish = async (
  { node, path, source }: ConversionParts,
  store: FactStore,
  to: Conversion,
  { keys }: Seals,
): Promise<readonly string[]> => {
  const left = to === 'rotate' && keys.roots.length > 1 ? withPresentRootOnly(keys) : keys;
  // The file first: a store never names a version that no file has.
  if (left !== keys) await replaceKeyFile(path, await spellKeys(left, source));
  await store.write(DEFAULT_TENANT, async (transaction) => {
    await saveMark(transaction, to === 'off' ? undefined : { id: left.id, version: left.version });
    await saveConversion(transaction, undefined);
  });
  const remains = await store.scrub();
  const limits = to === 'off' ? [] : await node.seal.replaceCopies(await spellKeys(left, source));
  return [...remains, ...limits];
};

const refused = (message: string, hint?: string): ServiceError =>
  new ServiceError('conflict', message, hint === undefined ? {} : { hint });
