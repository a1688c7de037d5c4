import type { ImportDraft, ImportFile, ImportItem, ImportReader, ImportSettings } from './importers-api.ts';
import { type OpenMemory, openMemoryOf } from './open-memory.ts';
import { idMember, isObject, listMember, member, relationPart, relationWord, textMember } from './origin-values.ts';

const LISTS = ['results', 'memories', 'relations'] as const;
/** Lists of an OpenMemory export that the reader skips, with a description of their items. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  status_history: 'a change of the state of a memory',
  access_controls: 'a rule of access',
};

/** Memories as returned by the platform, the open source server and OpenMemory, and relations of the graph memory. */
export const readMem0: ImportReader = async function* (input, settings) {
  for await (const file of input.files()) {
    const isCopy = /(^|\/)memories\.jsonl\.gz$/i.test(file.path);
    if (!/\.jsonl?$/i.test(file.path)) {
      yield { at: file.path, skipped: isCopy ? 'a copy of memories.json' : 'no JSON file', ...FOREIGN };
      continue;
    }
    yield* fileItems(file, settings);
  }
};

const FOREIGN = { isBroken: false, isForeign: true } as const;

async function* fileItems(file: ImportFile, settings: ImportSettings): AsyncGenerator<ImportItem> {
  const around = { settings, openMemory: await openMemoryOf(file) };
  for await (const { list, index, value } of file.items([...LISTS, ...Object.keys(LEFT_OUT)])) {
    const at = `${file.path}, ${list === '' ? 'item' : list} ${index + 1}`;
    const pages = LISTS.flatMap((name) => listMember(value, name));
    if (LEFT_OUT[list] !== undefined) yield { at, skipped: LEFT_OUT[list], isBroken: false };
    else if (pages.length > 0) for (const one of pages) yield* itemsOf(one, at, around);
    else yield* itemsOf(value, at, around);
  }
  yield* around.openMemory?.items(`${file.path}, users, apps and categories`, settings.instant) ?? [];
}

interface Around {
  readonly settings: ImportSettings;
  /** The names in an export of OpenMemory; undefined for any other file. */
  readonly openMemory: OpenMemory | undefined;
}

function* itemsOf(value: unknown, at: string, around: Around): Generator<ImportItem> {
  const target = textMember(value, 'target', 'destination');
  const relation = textMember(value, 'relationship', 'relation');
  const from = textMember(value, 'source');
  if (target !== undefined && relation !== undefined && from !== undefined) {
    yield {
      kind: 'relation',
      at,
      entity: `mem0:entity/${from}`,
      relation: `rel:${relationWord(relation)}:${relationPart(target)}`,
      value: { type: 'ref', v: `mem0:entity/${target}` },
      source: 'mem0',
      timestamp: around.settings.instant(member(value, 'created_at')),
    };
    return;
  }
  yield* memoryItems(around.openMemory?.named(value) ?? value, at, around.settings);
}

/** The reasons for skipping a memory, by its state. */
const STATES: ReadonlyMap<unknown, string> = new Map([
  ['deleted', 'a memory that was deleted'],
  ['archived', 'a memory that was archived'],
  ['paused', 'a memory that is paused'],
]);

function* memoryItems(value: unknown, at: string, settings: ImportSettings): Generator<ImportItem> {
  const text = textMember(value, 'memory', 'text', 'content', 'data');
  const id = idMember(value, 'id', 'memory_id', 'uuid');
  const gone = STATES.get(member(value, 'is_deleted') === true ? 'deleted' : member(value, 'state'));
  if (!isObject(value)) yield { at, skipped: 'not a JSON object', isBroken: true };
  else if (gone !== undefined) yield { at, skipped: gone, isBroken: false };
  else if (text === undefined || id === undefined) {
    // The rest of a page, such as its count, is not a memory.
    if (id !== undefined) yield { at, skipped: 'a memory without text', isBroken: true };
    else if (text !== undefined) yield { at, skipped: 'a memory without an id', isBroken: true };
  } else {
    const { instant } = settings;
    const run = idMember(value, 'run_id');
    const expires = member(value, 'expiration_date');
    // A mem0 memory stays valid until the end of its expiration date, in UTC.
    const validUntil = settings.end(expires, 'Z');
    const common = {
      at,
      entity: ownerOf(value) ?? `mem0:memory/${id}`,
      source: authorOf(value),
      timestamp: instant(member(value, 'updated_at')) ?? instant(member(value, 'created_at')),
      validUntil,
      session: run === undefined ? undefined : `mem0:${run}`,
    };
    yield {
      ...common,
      kind: 'memory',
      relation: `memory:note:${relationPart(id)}`,
      value: { type: 'text', v: text },
      key: `memory:${id}`,
    };
    const isUnread = validUntil === undefined && idMember(value, 'expiration_date') !== undefined;
    if (isUnread) yield { at, remark: 'an expiration date that cannot be read is kept as metadata' };
    yield* detailsOf(value, id, common, isUnread ? { expiration_date: expires } : {});
  }
}

const OWNERS = ['user', 'agent', 'app', 'run'] as const;

const ownerOf = (value: unknown): string | undefined =>
  OWNERS.map((kind) => [kind, idMember(value, `${kind}_id`)] as const)
    .filter(([, id]) => id !== undefined)
    .map(([kind, id]) => `mem0:${kind}/${id}`)[0];

const authorOf = (value: unknown): string => {
  const actor = idMember(value, 'actor_id');
  if (actor !== undefined) return `mem0:actor/${actor}`;
  const app = textMember(value, 'app', 'app_name');
  if (app !== undefined) return `mem0:app/${app}`;
  const agent = idMember(value, 'agent_id');
  if (agent !== undefined && member(value, 'role') === 'assistant') return `mem0:agent/${agent}`;
  return ownerOf(value) ?? 'mem0';
};

/** Further data of a memory: its categories, its app, and the application's metadata. */
function* detailsOf(
  value: unknown,
  id: string,
  common: Pick<ImportDraft, 'at' | 'entity' | 'source' | 'timestamp' | 'validUntil' | 'session'>,
  more: Readonly<Record<string, unknown>>,
): Generator<ImportItem> {
  const categories = listMember(value, 'categories').filter((one) => typeof one === 'string');
  const app = textMember(value, 'app', 'app_name');
  const metadata = ['metadata', 'metadata_'].map((name) => member(value, name)).find(isObject);
  const noted = {
    ...(categories.length === 0 ? {} : { categories }),
    ...(app === undefined ? {} : { app }),
    ...(metadata !== undefined && Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...more,
  };
  if (Object.keys(noted).length === 0) return;
  yield {
    ...common,
    kind: 'metadata',
    relation: `memory:metadata:${relationPart(id)}`,
    value: { type: 'text', v: JSON.stringify(noted) },
    derivedFrom: [`memory:${id}`],
  };
}
