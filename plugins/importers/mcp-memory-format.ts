import type { ImportFile, ImportItem, ImportReader } from './importers-api.ts';
import { isObject, listMember, member, relationPart, relationWord, shortDigest, textMember } from './origin-values.ts';

type Instant = Parameters<ImportReader>[1]['instant'];

/** Reads one entity or relation per line, or the result of the tool read_graph. */
export const readMcpMemory: ImportReader = async function* (input, { instant }) {
  for await (const file of input.files()) {
    if (!/\.jsonl?$/i.test(file.path)) {
      yield { at: file.path, skipped: 'no JSON file', isBroken: false, isForeign: true };
    } else if (await holdsLines(file)) {
      for await (const { number, text } of file.lines()) {
        const at = `${file.path}, line ${number}`;
        if (text === null) yield { at, skipped: 'a line that is too long or not UTF-8', isBroken: true };
        else if (text.trim() !== '') yield* recordItems(parsed(text), at, instant);
      }
    } else {
      for await (const { list, index, value } of file.items(['entities', 'relations'])) {
        if (list === '') continue;
        const type = list === 'entities' ? 'entity' : 'relation';
        yield* recordItems({ ...(isObject(value) ? value : {}), type }, `${file.path}, ${type} ${index + 1}`, instant);
      }
    }
  }
};

const holdsLines = async (file: ImportFile): Promise<boolean> => {
  for await (const { text } of file.lines()) {
    if (text === null) return true;
    if (text.trim() === '') continue;
    return !Array.isArray(member(parsed(text), 'entities')) && text.trim() !== '{';
  }
  return true;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

function* recordItems(value: unknown, at: string, instant: Instant): Generator<ImportItem> {
  const type = member(value, 'type');
  if (value === undefined) yield { at, skipped: 'not valid JSON', isBroken: true };
  else if (type === 'entity') yield* entityItems(value, at, instant);
  else if (type === 'relation') yield* relationItems(value, at, instant);
  else yield { at, skipped: 'neither an entity nor a relation', isBroken: true };
}

const SOURCE = 'mcp-memory';

function* entityItems(value: unknown, at: string, instant: Instant): Generator<ImportItem> {
  const name = textMember(value, 'name');
  if (name === undefined) {
    yield { at, skipped: 'an entity without a name', isBroken: true };
    return;
  }
  const common = { at, entity: `mcp-memory:${name}`, source: SOURCE, timestamp: changedAt(value, instant) };
  const entityType = textMember(value, 'entityType', 'entity_type');
  if (entityType !== undefined) {
    yield { ...common, kind: 'entity', relation: 'memory:type', value: { type: 'string', v: entityType } };
  }
  for (const one of listMember(value, 'observations')) {
    const text = typeof one === 'string' ? one : textMember(one, 'content', 'text');
    if (text === undefined || text.trim() === '') {
      yield { at, skipped: 'an observation without text', isBroken: true };
      continue;
    }
    yield {
      ...common,
      kind: 'observation',
      relation: `memory:observation:${shortDigest(text)}`,
      value: { type: 'text', v: text },
      timestamp: changedAt(one, instant) ?? common.timestamp,
    };
  }
}

function* relationItems(value: unknown, at: string, instant: Instant): Generator<ImportItem> {
  const from = textMember(value, 'from');
  const to = textMember(value, 'to');
  const type = textMember(value, 'relationType', 'relation_type');
  if (from === undefined || to === undefined || type === undefined) {
    yield { at, skipped: 'a relation without its ends or type', isBroken: true };
    return;
  }
  yield {
    kind: 'relation',
    at,
    entity: `mcp-memory:${from}`,
    relation: `rel:${relationWord(type)}:${relationPart(to)}`,
    value: { type: 'ref', v: `mcp-memory:${to}` },
    source: SOURCE,
    timestamp: changedAt(value, instant),
  };
}

/** The creation time, which only variants of the official server record. */
const changedAt = (value: unknown, instant: Instant): string | undefined =>
  instant(member(value, 'timestamp')) ?? instant(member(value, 'createdAt'));
