import type { ImportItem, ImportReader } from './importers-api.ts';
import { idMember, isObject, listMember, member, relationPart, textMember } from './origin-values.ts';

type Instant = Parameters<ImportReader>[1]['instant'];

const KINDS = [
  [/(^|\/)conversations([-_]\d+)?\.jsonl?$/, 'conversation'],
  [/(^|\/)projects(\/[^/]+|[-_]\d+)?\.jsonl?$/, 'project'],
  [/(^|\/)memories\.jsonl?$/, 'memory'],
] as const;

/** Takes the zip, its unpacked folder or conversations.json alone. */
export const readClaude: ImportReader = async function* (input, { instant }) {
  for await (const file of input.files()) {
    const named = KINDS.find(([pattern]) => pattern.test(file.path))?.[1];
    const kind = named ?? (file.path === input.name && /\.jsonl?$/i.test(file.path) ? 'conversation' : undefined);
    if (kind === undefined) continue;
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
  const timestamp = instant(member(value, 'created_at'));
  const own = { at, entity, source: 'claude', timestamp };
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
  for (const [nth, message] of listMember(value, 'chat_messages').entries()) {
    yield* messageItems(message, { at: `${at}, message ${nth + 1}`, id, entity, account, instant });
  }
}

interface Around {
  readonly at: string;
  readonly id: string;
  readonly entity: string;
  readonly account: string | undefined;
  readonly instant: Instant;
}

function* messageItems(message: unknown, { at, id, entity, account, instant }: Around): Generator<ImportItem> {
  const messageId = idMember(message, 'uuid');
  if (messageId === undefined) {
    yield { at, skipped: 'a message without a uuid', isBroken: true };
    return;
  }
  const sender = textMember(message, 'sender') ?? 'unknown';
  const parent = idMember(message, 'parent_message_uuid');
  const common = {
    at,
    entity,
    source: sender === 'human' && account !== undefined ? `claude:human/${account}` : `claude:${sender}`,
    timestamp: instant(member(message, 'created_at')),
    session: `claude:${id}`,
  };
  const text = textOf(message);
  if (text === null) yield { at, skipped: 'a message without text of its own', isBroken: false };
  else {
    yield {
      ...common,
      kind: 'message',
      relation: `memory:message:${relationPart(messageId)}`,
      value: { type: 'text', v: text },
      key: `${id}/${messageId}`,
      derivedFrom: parent === undefined || isNone(parent) ? undefined : [`${id}/${parent}`],
    };
  }
  for (const [nth, attachment] of listMember(message, 'attachments').entries()) {
    const content = textMember(attachment, 'extracted_content');
    if (content === undefined) continue;
    yield {
      ...common,
      kind: 'attachment',
      relation: `memory:attachment:${relationPart(messageId)}:${nth + 1}`,
      value: { type: 'text', v: content },
    };
  }
}

/** The parent of a first message is a uuid of zeros. */
const isNone = (parent: string): boolean => /^0{8}-/.test(parent);

/** Text blocks are exact; newer exports put placeholders into `text`. */
const textOf = (message: unknown): string | null => {
  const blocks = listMember(message, 'content')
    .filter((block) => member(block, 'type') === 'text')
    .map((block) => textMember(block, 'text') ?? '')
    .filter((text) => text !== '');
  return blocks.length > 0 ? blocks.join('\n\n') : (textMember(message, 'text') ?? null);
};

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
    timestamp: instant(member(value, 'created_at')),
  };
  for (const [name, relation, type] of PROJECT) {
    const v = textMember(value, name);
    if (v !== undefined) yield { ...common, relation, value: { type, v } };
  }
  for (const [nth, doc] of listMember(value, 'docs').entries()) {
    const content = textMember(doc, 'content');
    const docId = idMember(doc, 'uuid', 'filename') ?? String(nth + 1);
    if (content === undefined) continue;
    yield {
      ...common,
      kind: 'document',
      relation: `memory:document:${relationPart(docId)}`,
      value: { type: 'text', v: content },
      timestamp: instant(member(doc, 'created_at')) ?? common.timestamp,
    };
  }
}

function* memoryItems(value: unknown, at: string): Generator<ImportItem> {
  const account = idMember(value, 'account_uuid') ?? 'unknown';
  const common = { at, kind: 'memory', source: 'claude', relation: 'memory:summary' };
  const whole = textMember(value, 'conversations_memory');
  if (whole !== undefined) yield { ...common, entity: `claude:account/${account}`, value: { type: 'text', v: whole } };
  const projects = member(value, 'project_memories');
  if (!isObject(projects)) return;
  for (const [id, text] of Object.entries(projects)) {
    if (typeof text === 'string' && text.trim() !== '') {
      yield { ...common, entity: `claude:project/${id}`, value: { type: 'text', v: text } };
    }
  }
}
