import { noteLines } from './basic-memory-lines.ts';
import type { ImportFile, ImportInput, ImportItem, ImportReader, ImportSettings } from './importers-api.ts';
import { isObject, relationPart, relationWord, shortDigest, textMember } from './origin-values.ts';

const MAX_NOTE_BYTES = 8 * 1024 * 1024;
const FRONT_MATTER = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const MAX_FRONT_MATTER = 64 * 1024;
/** Front matter members with a fact or an instant of their own. */
const KNOWN = new Set([
  'title',
  'type',
  'tags',
  'permalink',
  'created',
  'created_at',
  'modified',
  'updated',
  'updated_at',
]);

interface Note {
  readonly permalink: string;
  readonly title: string;
  readonly front: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Every Markdown file is a note. Links are followed by title, path or permalink. */
export const readBasicMemory: ImportReader = async function* (input, settings) {
  const permalinks = await permalinksOf(input);
  for await (const file of input.files()) {
    if (!/\.md$/i.test(file.path)) {
      yield { at: file.path, skipped: 'no Markdown file', isBroken: false };
      continue;
    }
    const note = await readNote(file);
    if (typeof note === 'string') yield { at: file.path, skipped: note, isBroken: true };
    else yield* noteItems(note, file, permalinks, settings);
  }
};

/** Permalinks by every name that a link may use. */
const permalinksOf = async (input: ImportInput): Promise<ReadonlyMap<string, string>> => {
  const names = new Map<string, string>();
  for await (const file of input.files()) {
    if (!/\.md$/i.test(file.path)) continue;
    const note = await readNote(file);
    if (typeof note === 'string') continue;
    const stem = file.path.replace(/\.md$/i, '');
    for (const name of [note.title, stem, stem.split('/').at(-1) ?? stem, note.permalink]) {
      if (!names.has(nameKey(name))) names.set(nameKey(name), note.permalink);
    }
  }
  return names;
};

const nameKey = (name: string): string => name.trim().toLowerCase();

/** A note, or the reason for skipping the file. */
const readNote = async (file: ImportFile): Promise<Note | string> => {
  const text = await file.text(MAX_NOTE_BYTES);
  if (text === null) return `a note that is larger than ${MAX_NOTE_BYTES / 1024 / 1024} MiB or not UTF-8`;
  const [whole = '', yaml = ''] = FRONT_MATTER.exec(text) ?? [];
  if (yaml.length > MAX_FRONT_MATTER) return 'a note whose front matter is too large';
  const front = await parseFront(yaml);
  if (front === undefined) return 'a note whose front matter is not valid YAML';
  const stem = file.path.replace(/\.md$/i, '');
  return {
    permalink: textMember(front, 'permalink') ?? permalinkOf(stem),
    title: textMember(front, 'title') ?? stem.split('/').at(-1) ?? stem,
    front,
    body: text.slice(whole.length),
  };
};

const parseFront = async (yaml: string): Promise<Readonly<Record<string, unknown>> | undefined> => {
  if (yaml.trim() === '') return {};
  const { parseDocument } = await import('yaml');
  const document = parseDocument(yaml, { schema: 'core', logLevel: 'silent' });
  if (document.errors.length > 0) return undefined;
  try {
    const value: unknown = document.toJS({ maxAliasCount: 10 });
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Derives a permalink from a path as Basic Memory does. */
const permalinkOf = (path: string): string =>
  path
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-')
    .replaceAll(/[^\p{L}\p{N}/.-]+/gu, '-')
    .replaceAll(/-+/g, '-')
    .replaceAll(/^-|-$/g, '');

function* noteItems(
  { permalink, title, front, body }: Note,
  file: ImportFile,
  permalinks: ReadonlyMap<string, string>,
  { instant }: ImportSettings,
): Generator<ImportItem> {
  const author = textMember(front, 'author');
  const changed = ['modified', 'updated', 'updated_at', 'created', 'created_at'].map((name) => instant(front[name]));
  const common = {
    at: file.path,
    entity: `basic-memory:${permalink}`,
    source: author === undefined ? 'basic-memory' : `basic-memory:author/${author}`,
    timestamp: changed.find((one) => one !== undefined) ?? instant(file.modifiedMs),
  };
  const fact = (kind: string, relation: string, type: 'string' | 'text', v: string): ImportItem => ({
    ...common,
    kind,
    relation,
    value: { type, v },
  });
  yield fact('note', 'memory:title', 'string', title);
  yield fact('note', 'memory:type', 'string', textMember(front, 'type') ?? 'note');
  const tags = tagsOf(front['tags']);
  if (tags !== '') yield fact('note', 'memory:tags', 'string', tags);
  const more = Object.entries(front).filter(([name]) => !KNOWN.has(name));
  if (more.length > 0) yield fact('note', 'memory:metadata', 'text', JSON.stringify(Object.fromEntries(more)));
  if (body.trim() !== '') yield fact('note', 'memory:content', 'text', body.trim());
  for (const line of noteLines(body)) {
    const at = `${file.path}, line ${line.number} of the text`;
    if (line.kind === 'observation') {
      const relation = `memory:${relationPart(line.category)}:${shortDigest(line.text)}`;
      yield { ...common, at, kind: 'observation', relation, value: { type: 'text', v: line.text } };
    } else {
      const target = permalinks.get(nameKey(line.target)) ?? permalinkOf(line.target);
      const relation = `rel:${relationWord(line.type)}:${relationPart(target)}`;
      yield { ...common, at, kind: 'relation', relation, value: { type: 'ref', v: `basic-memory:${target}` } };
    }
  }
}

const tagsOf = (tags: unknown): string =>
  (Array.isArray(tags) ? tags : typeof tags === 'string' ? tags.split(',') : [])
    .map((tag) => String(tag).trim().replace(/^#/, ''))
    .filter((tag) => tag !== '')
    .join(', ');
