import { claudeMessageItems } from './claude-messages.ts';
import type { ImportItem, ImportReader } from './importers-api.ts';
import { idMember, isObject, listMember, member, relationPart, textMember } from './origin-values.ts';

type Instant = Parameters<ImportReader>[1]['instant'];

const KINDS = [
  [/(^|\/)conversations([-_]\d+)?\.jsonl?$/, 'conversation'],
  [/(^|\/)projects(\/[^/]+|[-_]\d+)?\.jsonl?$/, 'project'],
  [/(^|\/)memories\.jsonl?$/, 'memory'],
] as const;

const FOREIGN = { isBroken: false, isForeign: true } as const;

/** Takes the zip, its unpacked folder or conversations.json alone. */
export const readClaude: ImportReader = async function* (input, { instant }) {
  for await (const file of input.files()) {
    const named = KINDS.find(([pattern]) => pattern.test(file.path))?.[1];
    const kind = named ?? (file.path === input.name && /\.jsonl?$/i.test(file.path) ? 'conversation' : undefined);
    if (kind === undefined) {
      yield { at: file.path, skipped: 'a file without conversations, projects and memories', ...FOREIGN };
      continue;
    }
    for await (const { index, value } of file.items()) {
      const at = `${file.path}, ${kind} ${index + 1}`;
      if (!isObject(value)) yield { at, skipped: 'not a JSON object', isBroken: true };
      else if (kind === 'conversation') yield* conversationItems(value, at, instant);
      else if (kind === 'project') yield* projectItems(value, at, instant);
      else yield* memoryItems(value, at);
    }
  }
};

function* conversationItems(value: unknown, at: string, instant: Instant): Generator<ImportItem> {
  const id = idMember(value, 'uuid');
  if (id === undefined || !Array.isArray(member(value, 'chat_messages'))) {
    yield { at, skipped: 'not a conversation of Claude', isBroken: true };
    return;
  }
  const entity = `claude:conversation/${id}`;
  const timestamp = createdAt(instant)(value);
  const updated = instant(member(value, 'updated_at'));
  const own = { at, entity, source: 'claude', timestamp: timestamp ?? updated };
  const title = textMember(value, 'name');
  if (title !== undefined) {
    yield { ...own, kind: 'title', relation: 'memory:title', value: { type: 'string', v: title } };
  }
  const summary = textMember(value, 'summary');
  if (summary !== undefined) {
    yield { ...own, kind: 'summary', relation: 'memory:summary', value: { type: 'text', v: summary } };
  }
  const project = idMember(value, 'project_uuid') ?? idMember(member(value, 'project'), 'uuid');
  if (project !== undefined) {
    const v = `claude:project/${project}`;
    yield { ...own, kind: 'relation', relation: 'rel:part_of', value: { type: 'ref', v } };
  }
  const account = idMember(member(value, 'account'), 'uuid');
  const messages = listMember(value, 'chat_messages');
  let toldAt = timestamp ?? messages.map(createdAt(instant)).find((time) => time !== undefined) ?? updated;
  for (const [nth, message] of messages.entries()) {
    toldAt = createdAt(instant)(message) ?? toldAt;
    yield* claudeMessageItems(message, { at: `${at}, message ${nth + 1}`, id, entity, account, timestamp: toldAt });
  }
}

const createdAt =
  (instant: Instant) =>
  (value: unknown): string | undefined =>
    instant(member(value, 'created_at'));

const PROJECT = [
  ['name', 'memory:title', 'string'],
  ['description', 'memory:description', 'text'],
  ['prompt_template', 'memory:instructions', 'text'],
] as const;

function* projectItems(value: unknown, at: string, instant: Instant): Generator<ImportItem> {
  const id = idMember(value, 'uuid');
  if (id === undefined) {
    yield { at, skipped: 'a project without a uuid', isBroken: true };
    return;
  }
  const creator = idMember(member(value, 'creator'), 'uuid');
  const common = {
    at,
    kind: 'project',
    entity: `claude:project/${id}`,
    source: creator === undefined ? 'claude' : `claude:human/${creator}`,
    timestamp: createdAt(instant)(value) ?? instant(member(value, 'updated_at')),
  };
  for (const [name, relation, type] of PROJECT) {
    const v = textMember(value, name);
    if (v !== undefined) yield { ...common, relation, value: { type, v } };
  }
  for (const [nth, doc] of listMember(value, 'docs').entries()) {
    const content = textMember(doc, 'content');
    const docId = idMember(doc, 'uuid', 'filename') ?? String(nth + 1);
    if (content === undefined) {
      yield { at, skipped: 'a document without text', isBroken: false };
      continue;
    }
    yield {
      ...common,
      kind: 'document',
      relation: `memory:document:${relationPart(docId)}`,
      value: { type: 'text', v: content },
      timestamp: createdAt(instant)(doc) ?? common.timestamp,
    };
  }
}

function* memoryItems(value: unknown, at: string): Generator<ImportItem> {
  const account = idMember(value, 'account_uuid') ?? 'unknown';
  const common = { at, kind: 'memory', source: 'claude', relation: 'memory:summary' };
  const whole = textMember(value, 'conversations_memory');
  yield whole === undefined
    ? { at, skipped: 'a memory without text', isBroken: false }
    : { ...common, entity: `claude:account/${account}`, value: { type: 'text', v: whole } };
  const projects = member(value, 'project_memories');
  if (!isObject(projects)) return;
  for (const [id, text] of Object.entries(projects)) {
    yield typeof text === 'string' && text.trim() !== ''
      ? { ...common, entity: `claude:project/${id}`, value: { type: 'text', v: text } }
      : { at, skipped: 'a memory without text', isBroken: false };
  }
}
