import { chatGptMessageItems, saidIn } from './chatgpt-messages.ts';
import type { ImportItem, ImportReader } from './importers-api.ts';
import { idMember, isObject, listMember, member, textMember } from './origin-values.ts';

const CONVERSATIONS = /(^|\/)conversations([-_]\d+)?\.json$/;

type Instant = Parameters<ImportReader>[1]['instant'];

/**
 * Takes the zip, its unpacked folder or conversations.json alone. Newer exports split the conversations into several
 * files.
 */
export const readChatGpt: ImportReader = async function* (input, { instant }) {
  for await (const file of input.files()) {
    const isNamed = CONVERSATIONS.test(file.path);
    if (!isNamed && !(file.path === input.name && /\.json$/i.test(file.path))) {
      yield { at: file.path, skipped: 'a file without conversations', isBroken: false, isForeign: true };
      continue;
    }
    for await (const { index, value } of file.items(['conversations'])) {
      yield* conversationItems(value, `${file.path}, conversation ${index + 1}`, instant);
    }
  }
};

function* conversationItems(value: unknown, at: string, instant: Instant): Generator<ImportItem> {
  const id = idMember(value, 'conversation_id', 'id', 'uuid');
  const mapping = member(value, 'mapping');
  if (id === undefined || !isObject(mapping)) {
    // This is the rest of the object that contained the list.
    if (isObject(value) && Object.keys(value).length === 0) return;
    yield { at, skipped: 'not a conversation of ChatGPT', isBroken: true };
    return;
  }
  const entity = `chatgpt:conversation/${id}`;
  const began = instant(member(value, 'create_time')) ?? firstTime(mapping, instant);
  const timestamp = began ?? instant(member(value, 'update_time'));
  const title = textMember(value, 'title');
  if (title !== undefined) {
    const v = { type: 'string', v: title } as const;
    yield { kind: 'title', at, entity, relation: 'memory:title', value: v, source: 'chatgpt', timestamp };
  }
  for (const { node, said, toldAt } of inOrder(mapping, instant)) {
    const place = `${at}, message ${idMember(node, 'id') ?? '?'}`;
    yield* chatGptMessageItems(member(node, 'message'), place, { id, entity, said, timestamp: toldAt ?? timestamp });
  }
}

interface Visit {
  readonly node: unknown;
  /** The id of the nearest earlier message that becomes a fact. */
  readonly said: string | undefined;
  /** The time of the message, or else of the nearest earlier message of its branch. */
  readonly toldAt: string | undefined;
}

const timeOf = (node: unknown, instant: Instant): string | undefined =>
  instant(member(member(node, 'message'), 'create_time'));

const firstTime = (mapping: Readonly<Record<string, unknown>>, instant: Instant): string | undefined => {
  for (const node of Object.values(mapping)) {
    const time = timeOf(node, instant);
    if (time !== undefined) return time;
  }
  return undefined;
};

/**
 * Visits the nodes of a conversation tree from its roots, one branch after another. Visits each node of a cycle once.
 */
function* inOrder(mapping: Readonly<Record<string, unknown>>, instant: Instant): Generator<Visit> {
  const seen = new Set<string>();
  const isRoot = (id: string): boolean => {
    const parent = member(mapping[id], 'parent');
    return typeof parent !== 'string' || !Object.hasOwn(mapping, parent);
  };
  const ids = Object.keys(mapping);
  // Nodes without a root come last.
  const starts = [...ids.filter(isRoot), ...ids];
  for (const start of starts) {
    const waiting: (Omit<Visit, 'node'> & { readonly id: string })[] = [
      { id: start, said: undefined, toldAt: undefined },
    ];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { id, said } = next;
      if (seen.has(id) || !Object.hasOwn(mapping, id)) continue;
      seen.add(id);
      const node = mapping[id];
      const toldAt = timeOf(node, instant) ?? next.toldAt;
      yield { node, said, toldAt };
      const message = member(node, 'message');
      const key = saidIn(message) === null ? said : (idMember(message, 'id') ?? said);
      for (const child of listMember(node, 'children').toReversed()) {
        if (typeof child === 'string') waiting.push({ id: child, said: key, toldAt });
      }
    }
  }
}
