import type { ImportDraft, ImportItem, ImportReader } from './importers-api.ts';
import { idMember, isObject, listMember, member, relationPart, relationWord, textMember } from './origin-values.ts';

const LISTS = ['results', 'memories', 'relations'] as const;

/** Memories as returned by the platform, the open source server and OpenMemory, and relations of the graph memory. */
export const readMem0: ImportReader = async function* (input, { instant }) {
  for await (const file of input.files()) {
    if (!/\.jsonl?$/i.test(file.path)) {
      yield { at: file.path, skipped: 'no JSON file', isBroken: false };
      continue;
    }
    for await (const { list, index, value } of file.items(LISTS)) {
      const at = `${file.path}, ${list === '' ? 'item' : list} ${index + 1}`;
      const pages = LISTS.flatMap((name) => listMember(value, name));
      if (pages.length > 0) for (const one of pages) yield* itemsOf(one, at, instant);
      else yield* itemsOf(value, at, instant);
    }
  }
};

type Instant = Parameters<ImportReader>[1]['instant'];

function* itemsOf(value: unknown, at: string, instant: Instant): Generator<ImportItem> {
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
    };
    return;
  }
  yield* memoryItems(value, at, instant);
}

const GONE = new Set(['deleted', 'archived']);

function* memoryItems(value: unknown, at: string, instant: Instant): Generator<ImportItem> {
  const text = textMember(value, 'memory', 'text', 'content', 'data');
  const id = idMember(value, 'id', 'memory_id', 'uuid');
  if (!isObject(value)) yield { at, skipped: 'not a JSON object', isBroken: true };
  else if (GONE.has(String(member(value, 'state'))) || member(value, 'is_deleted') === true) {
    yield { at, skipped: 'a memory that was deleted', isBroken: false };
  } else if (text === undefined || id === undefined) {
    // The rest of a page, such as its count, is not a memory.
    if (id !== undefined) yield { at, skipped: 'a memory without text', isBroken: true };
    else if (text !== undefined) yield { at, skipped: 'a memory without an id', isBroken: true };
  } else {
    const run = idMember(value, 'run_id');
    const common = {
      at,
      entity: ownerOf(value) ?? `mem0:memory/${id}`,
      source: authorOf(value),
      timestamp: instant(member(value, 'updated_at')) ?? instant(member(value, 'created_at')),
      validUntil: instant(member(value, 'expiration_date')),
      session: run === undefined ? undefined : `mem0:${run}`,
    };
    yield {
      ...common,
      kind: 'memory',
      relation: `memory:note:${relationPart(id)}`,
      value: { type: 'text', v: text },
      key: `memory:${id}`,
    };
    yield* detailsOf(value, id, common);
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
  const agent = idMember(value, 'agent_id');
  if (agent !== undefined && member(value, 'role') === 'assistant') return `mem0:agent/${agent}`;
  return ownerOf(value) ?? 'mem0';
};

/** Further data of a memory: categories and the application's metadata. */
function* detailsOf(
  value: unknown,
  id: string,
  common: Pick<ImportDraft, 'at' | 'entity' | 'source' | 'timestamp' | 'validUntil' | 'session'>,
): Generator<ImportItem> {
  const categories = listMember(value, 'categories').filter((one) => typeof one === 'string');
  const metadata = member(value, 'metadata');
  const noted = {
    ...(categories.length === 0 ? {} : { categories }),
    ...(isObject(metadata) && Object.keys(metadata).length > 0 ? { metadata } : {}),
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
