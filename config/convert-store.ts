import type { FormerRemains } from '../adapters/cli/command-line-deps.ts';
import {
  openKeys,
  readKeyFile,
  replaceKeyFile,
  spellKeys,
  zeroFormerKeys,
} from '../adapters/sealed/content-key-file.ts';
import {
  type ContentKeys,
  freshKeys,
  presentRoot,
  withFreshRoot,
  withPresentRootOnly,
} from '../adapters/sealed/content-keys.ts';
import { sealWith } from '../adapters/sealed/content-seal.ts';
import { convertFacts, type FactConversion, requireWholeFacts } from '../adapters/sql/convert-facts.ts';
import { formOf } from '../adapters/sql/sealed-form.ts';
import { countNoun, type Progress } from '../kernel/command-api.ts';
import { valueKey } from '../kernel/facts/fact-value.ts';
import { valueCommitment } from '../kernel/facts/value-commitment.ts';
import { removeDrafts } from '../kernel/files/draft-file.ts';
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
import { copyValueKeys, VALUE_KEY_COPIES } from './copy-value-keys.ts';
import type { Node } from './create-node.ts';
import { markOf, noKeyFile, olderKeys, refuseUnfit, requirePresentRoot, requireRoot } from './fitting-keys.ts';
import {
  type Conversion,
  readSealState,
  type SealMark,
  saveConversion,
  saveFormer,
  saveMark,
  type UnfinishedConversion,
} from './seal-mark.ts';

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
 * how far it has come, so that a killed run goes on from there.
 */
export const convertStore = async (parts: ConversionParts, to: Conversion): Promise<FormerRemains> => {
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
  const { mark, unfinished, former } = await readSealState(store);
  if (unfinished !== undefined && unfinished.to !== to) {
    throw refused(`"encryption ${unfinished.to}" is not finished`, 'run that command again first');
  }
  if (unfinished === undefined && to === 'on' && mark !== undefined) throw refused('the store is sealed already');
  if (to !== 'on' && mark === undefined) throw refused('the store is not sealed');
  if (to === 'on') return beginSealing({ path, source }, store, unfinished, former);
  const keys = await readKeys(path, source);
  if (mark !== undefined) refuseUnfit(keys, mark, path);
  if (mark !== undefined && unfinished === undefined) {
    if (to === 'rotate') requireRoot(keys, mark, path);
    else requirePresentRoot(keys, mark, path);
  }
  if (to === 'off' && unfinished === undefined) {
    const form = formOf(sealWith(keys, { path, source }));
    await store.read((snapshot) => requireWholeFacts(snapshot, form));
  }
  const state: UnfinishedConversion = unfinished ?? { to, table: null, after: null };
  await store.write(DEFAULT_TENANT, (transaction) => saveConversion(transaction, state));
  if (to === 'rotate' && presentRoot(keys).id === mark?.root) {
    // Rows are sealed with another root already, which an older file lacks.
    if (state.table !== null) throw olderKeys(path);
    // The store says before that it is being rotated, because no node may use it with the new root.
    await replaceKeyFile(path, await spellKeys(withFreshRoot(keys), source));
  }
  return state;
};

/** Prepares keys that have sealed nothing yet. */
const beginSealing = async (
  { path, source }: Pick<ConversionParts, 'path' | 'source'>,
  store: FactStore,
  unfinished: UnfinishedConversion | undefined,
  former: SealMark | undefined,
): Promise<UnfinishedConversion> => {
  const state: UnfinishedConversion = unfinished ?? { to: 'on', table: null, after: null };
  const isBegun = state.table !== null;
  const isThere = isBegun || (await readKeyFile(path)) !== undefined;
  const keys = isThere ? await readKeys(path, source) : undefined;
  if (unfinished === undefined && keys !== undefined && keys.id !== former?.id) throw foreignKeys(path);
  // Refuses an unusable key of the operator while the store can still be used without one.
  const spelled = await spellKeys(keys ?? freshKeys(), source);
  // Before the keys change, so that a killed command finds keys that it may use or replace.
  await store.write(DEFAULT_TENANT, (transaction) => saveConversion(transaction, state));
  await removeDrafts(path);
  if (keys === undefined) await createKeyFile(path, spelled);
  else if (!isBegun && keys.id === former?.id && presentRoot(keys).id <= former.root) {
    // An erasure in the clear store has destroyed no key, so earlier sealed backups must not open any more.
    await replaceKeyFile(path, await spellKeys(withPresentRootOnly(withFreshRoot(keys)), source));
  }
  return state;
};

const foreignKeys = (path: string): ServiceError =>
  refused(
    `the content keys in ${path} have not sealed this store before`,
    'name another file in SVC_ENCRYPTION_KEY_STORE; move this one away only when no store and no backup needs it',
  );

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
    commitment: valueCommitment,
  };
  const there = new Set(await store.tables());
  const tables = (await node.contents()).filter(({ table }) => there.has(table));
  const winners = Object.keys(VALUE_KEY_COPIES).filter((table) => there.has(table));
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
            ? await copyValueKeys(transaction, table, after, ROWS_AT_ONCE)
            : await convertTexts(transaction, tables[at - 1 - winners.length] as ContentColumns, after, ROWS_AT_ONCE, {
                from: seals.both,
                to: seals.to,
                former: seals.from,
              });
      const next = piece === undefined ? { table: order[at + 1] ?? '', after: null } : { table, after: piece.last };
      await saveConversion(transaction, { to: begun.to, ...next });
      return piece;
    });
    const isFirst = rows === 0;
    rows += done?.rows ?? 0;
    if (isFirst && rows > 0)
      progress.say(`rewritten so far: ${countNoun(rows, 'row')}; after a break the same command goes on`);
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
  parts: ConversionParts,
  store: FactStore,
  to: Conversion,
  { keys }: Seals,
): Promise<FormerRemains> => {
  const { path, source } = parts;
  const remainingKeys = to === 'rotate' && keys.roots.length > 1 ? withPresentRootOnly(keys) : keys;
  // The file first: a store never names a version that no file has.
  if (remainingKeys !== keys) await replaceKeyFile(path, await spellKeys(remainingKeys, source));
  // A killed run may have replaced the file, and left the former keys beside it.
  else await zeroFormerKeys(path);
  const remains = to === 'off' ? { places: [], copies: [] } : await destroyRemains(parts, store, remainingKeys);
  // Last, so that the same command repeats all of this after a failure or a kill.
  await store.write(DEFAULT_TENANT, async (transaction) => {
    await (to === 'off' ? saveFormer : saveMark)(transaction, markOf(remainingKeys));
    await saveConversion(transaction, undefined);
  });
  return remains;
};

const destroyRemains = async (
  { node, source, progress }: ConversionParts,
  store: FactStore,
  remainingKeys: ContentKeys,
): Promise<FormerRemains> => {
  progress.say('all rows are rewritten; now what they have left in files is destroyed');
  const places = await store.scrub();
  return { places, copies: await node.seal.replaceCopies(await spellKeys(remainingKeys, source)) };
};

const refused = (message: string, hint?: string): ServiceError =>
  new ServiceError('conflict', message, hint === undefined ? {} : { hint });
