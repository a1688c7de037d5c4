import { foldName } from '../../kernel/internal-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { noteLines } from './basic-memory-lines.ts';
import { readFrontMatter } from './front-matter.ts';
import type { ImportFile, ImportInput, ImportItem, ImportReader, ImportSettings } from './importers-api.ts';
import { relationPart, relationWord, shortDigest, textMember } from './origin-values.ts';

const MAX_NOTE_BYTES = 8 * 1024 * 1024;
/**
 * The maximum length of a note name that links can refer to. It limits the memory, because a folder may contain a
 * million notes.
 */
const MAX_NAME = 1_000;
/** Members of the front matter that become facts or instants of their own. */
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
  'valid_until',
]);

interface Note {
  readonly permalink: string;
  readonly title: string;
  readonly front: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Front matter that is not valid YAML, and the reason; undefined for valid YAML. */
  readonly unread: { readonly block: string; readonly problem: string } | undefined;
}

/** Every Markdown file is a note. Links are followed by title, path or permalink. */
export const readBasicMemory: ImportReader = async function* (input, settings) {
  const permalinks = await permalinksOf(input);
  for await (const file of input.files()) {
    if (!/\.md$/i.test(file.path)) {
      yield { at: file.path, skipped: 'no Markdown file', isBroken: false, isForeign: true };
      continue;
    }
    const note = await readNote(file);
    if (typeof note === 'string') yield { at: file.path, skipped: note, isBroken: true };
    else yield* noteItems(note, file, permalinks, settings);
  }
};

/** Returns the permalinks by every name that a link may use. */
const permalinksOf = async (input: ImportInput): Promise<ReadonlyMap<string, string>> => {
  const names = new Map<string, string>();
  for await (const file of input.files()) {
    if (!/\.md$/i.test(file.path)) continue;
    const note = await readNote(file);
    if (typeof note === 'string') continue;
    const stem = file.path.replace(/\.md$/i, '');
    for (const name of [note.title, stem, stem.split('/').at(-1) ?? stem, note.permalink]) {
      const key = foldName(name);
      if (name.length <= MAX_NAME && !names.has(key)) names.set(key, note.permalink);
    }
  }
  return names;
};

/** A note, or the reason for skipping the file. */
const readNote = async (file: ImportFile): Promise<Note | string> => {
  const text = await file.text(MAX_NOTE_BYTES).catch((error: unknown) => {
    if (error instanceof ServiceError) return null;
    throw error;
  });
  if (text === null) {
    return `a note that is larger than ${MAX_NOTE_BYTES / 1024 / 1024} MiB or not UTF-8; --encoding names another encoding`;
  }
  const { yaml, body } = splitNote(text);
  const { members: front, problem } = await readFrontMatter(yaml);
  const stem = file.path.replace(/\.md$/i, '');
  return {
    permalink: textMember(front, 'permalink') ?? permalinkOf(stem),
    title: textMember(front, 'title') ?? stem.split('/').at(-1) ?? stem,
    front,
    body,
    unread: problem === undefined ? undefined : { block: yaml.trim(), problem },
  };
};

/** Splits off the front matter: the lines between two lines of three dashes, of which the first one begins the note. */
const splitNote = (text: string): { readonly yaml: string; readonly body: string } => {
  if (!/^---\r?\n/.test(text)) return { yaml: '', body: text };
  const start = text.indexOf('\n') + 1;
  for (let line = start; line < text.length; ) {
    const next = text.indexOf('\n', line);
    const end = next < 0 ? text.length : next;
    if (text.startsWith('---', line) && text.slice(line, end).trimEnd() === '---') {
      return { yaml: text.slice(start, line), body: text.slice(Math.min(end + 1, text.length)) };
    }
    line = end + 1;
  }
  return { yaml: '', body: text };
};

/** Derives a permalink from a path as Basic Memory does. */
const permalinkOf = (path: string): string =>
  foldName(path)
    .replaceAll(/[\s_]+/g, '-')
    .replaceAll(/[^\p{L}\p{N}/.-]+/gu, '-')
    .replaceAll(/-+/g, '-')
    .replaceAll(/^-|-$/g, '');

function* noteItems(
  { permalink, title, front, body, unread }: Note,
  file: ImportFile,
  permalinks: ReadonlyMap<string, string>,
  { instant, end }: ImportSettings,
): Generator<ImportItem> {
  const author = textMember(front, 'author');
  const changed = ['modified', 'updated', 'updated_at', 'created', 'created_at'].map((name) => instant(front[name]));
  const common = {
    at: file.path,
    entity: `basic-memory:${permalink}`,
    source: author === undefined ? 'basic-memory' : `basic-memory:author/${author}`,
    timestamp: changed.find((one) => one !== undefined) ?? instant(file.modifiedMs),
    validUntil: end(front['valid_until']),
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
  if (unread !== undefined) {
    yield { at: file.path, remark: `${unread.problem} is read line by line and kept as text` };
    yield fact('note', 'memory:front_matter', 'text', unread.block);
  }
  const more = Object.entries(front).filter(([name]) => !KNOWN.has(name));
  if (more.length > 0) yield fact('note', 'memory:metadata', 'text', JSON.stringify(Object.fromEntries(more)));
  if (body.trim() !== '') yield fact('note', 'memory:content', 'text', body.trim());
  for (const line of noteLines(body)) {
    const at = `${file.path}, line ${line.number} of the text`;
    if (line.kind === 'observation') {
      const relation = `memory:${relationPart(line.category)}:${shortDigest(line.text)}`;
      yield { ...common, at, kind: 'observation', relation, value: { type: 'text', v: line.text } };
    } else {
      const target = permalinks.get(foldName(line.target)) ?? permalinkOf(line.target);
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
