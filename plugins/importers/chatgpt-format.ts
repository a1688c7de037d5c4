import type { ImportItem, ImportReader } from './importers-api.ts';
import { idMember, isObject, listMember, member, relationPart, textMember } from './origin-values.ts';

const CONVERSATIONS = /(^|\/)conversations([-_]\d+)?\.json$/;

type Instant = Parameters<ImportReader>[1]['instant'];

/**
 * Takes the zip, its unpacked folder or conversations.json alone. Newer exports split the conversations into several
 * files.
 */
export const readChatGpt: ImportReader = async function* (input, { instant }) {
  for await (const file of input.files()) {
    const isNamed = CONVERSATIONS.test(file.path);
    if (!isNamed && !(file.path === input.name && /\.json$/i.test(file.path))) continue;
    for await (const { index, value } of file.items(['conversations'])) {
      yield* conversationItems(value, `${file.path}, conversation ${index + 1}`, instant);
    }
  }
};

function* conversationItems(value: unknown, at: string, instant: Instant): Generator<ImportItem> {
  const id = idMember(value, 'conversation_id', 'id', 'uuid');
  const mapping = member(value, 'mapping');
  if (id === undefined || !isObject(mapping)) {
    // The object around the list, without the list.
    if (isObject(value) && Object.keys(value).length === 0) return;
    yield { at, skipped: 'not a conversation of ChatGPT', isBroken: true };
    return;
  }
  const entity = `chatgpt:conversation/${id}`;
  const title = textMember(value, 'title');
  if (title !== undefined) {
    yield {
      kind: 'title',
      at,
      entity,
      relation: 'memory:title',
      value: { type: 'string', v: title },
      source: 'chatgpt',
      timestamp: instant(member(value, 'create_time')),
    };
  }
  for (const { node, said } of inOrder(mapping)) {
    yield* messageItems(member(node, 'message'), `${at}, message ${idMember(node, 'id') ?? '?'}`, {
      id,
      entity,
      said,
      instant,
    });
  }
}

interface Visit {
  readonly node: unknown;
  /** The nearest earlier message that becomes a fact. */
  readonly said: string | undefined;
}

/**
 * Visits the nodes of a conversation tree from its roots, one branch after another. Visits each node of a cycle once.
 */
function* inOrder(mapping: Readonly<Record<string, unknown>>): Generator<Visit> {
  const seen = new Set<string>();
  const isRoot = (id: string): boolean => {
    const parent = member(mapping[id], 'parent');
    return typeof parent !== 'string' || !Object.hasOwn(mapping, parent);
  };
  const ids = Object.keys(mapping);
  // Nodes without a root come last.
  const starts = [...ids.filter(isRoot), ...ids];
  for (const start of starts) {
    const waiting: [id: string, said: string | undefined][] = [[start, undefined]];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [id, said] = next;
      if (seen.has(id) || !Object.hasOwn(mapping, id)) continue;
      seen.add(id);
      const node = mapping[id];
      yield { node, said };
      const message = member(node, 'message');
      const key = textOf(message) === null ? said : (idMember(message, 'id') ?? said);
      for (const child of listMember(node, 'children').toReversed()) {
        if (typeof child === 'string') waiting.push([child, key]);
      }
    }
  }
}

interface Around {
  readonly id: string;
  readonly entity: string;
  readonly said: string | undefined;
  readonly instant: Instant;
}

function* messageItems(message: unknown, at: string, { id, entity, said, instant }: Around): Generator<ImportItem> {
  if (!isObject(message)) return;
  const messageId = idMember(message, 'id');
  const text = textOf(message);
  if (text === null || messageId === undefined) {
    yield { at, skipped: 'a message without text of its own', isBroken: false };
    return;
  }
  yield {
    kind: 'message',
    at,
    entity,
    relation: `memory:message:${relationPart(messageId)}`,
    value: { type: 'text', v: text },
    source: authorOf(message),
    timestamp: instant(member(message, 'create_time')),
    session: `chatgpt:${id}`,
    key: `${id}/${messageId}`,
    derivedFrom: said === undefined ? undefined : [`${id}/${said}`],
  };
}

const authorOf = (message: unknown): string => {
  const author = member(message, 'author');
  const role = textMember(author, 'role') ?? 'unknown';
  const name =
    role === 'assistant' ? textMember(member(message, 'metadata'), 'model_slug') : textMember(author, 'name');
  return name === undefined ? `chatgpt:${role}` : `chatgpt:${role}/${name}`;
};

/** Content types of the model's internal notes, which are not part of the conversation. */
const UNSAID = new Set(['thoughts', 'reasoning_recap', 'model_editable_context', 'user_editable_context']);

const textOf = (message: unknown): string | null => {
  const content = member(message, 'content');
  if (UNSAID.has(String(member(content, 'content_type')))) return null;
  if (member(member(message, 'metadata'), 'is_visually_hidden_from_conversation') === true) return null;
  const parts = listMember(content, 'parts').map((part) =>
    typeof part === 'string' ? part : (textMember(part, 'text') ?? ''),
  );
  const text = parts.filter((part) => part.trim() !== '').join('\n\n') || (textMember(content, 'text', 'result') ?? '');
  return text.trim() === '' ? null : text;
};
