import type { ImportDraft, ImportItem } from './importers-api.ts';
import { idMember, isObject, listMember, member, relationPart, textMember } from './origin-values.ts';

export interface AroundMessage {
  readonly at: string;
  /** The id of the conversation. */
  readonly id: string;
  readonly entity: string;
  readonly account: string | undefined;
  /** The time of the message, or else of the message before it. */
  readonly timestamp: string | undefined;
}

type Common = Pick<ImportDraft, 'at' | 'entity' | 'source' | 'timestamp' | 'session'>;

/** Yields the items of a message: its text, artifacts, results of tools, attachments and files. */
export function* claudeMessageItems(message: unknown, around: AroundMessage): Generator<ImportItem> {
  const { at, id, entity, account, timestamp } = around;
  const messageId = idMember(message, 'uuid');
  if (messageId === undefined) {
    yield { at, skipped: 'a message without a uuid', isBroken: true };
    return;
  }
  const sender = textMember(message, 'sender') ?? 'unknown';
  const parent = idMember(message, 'parent_message_uuid');
  const source = sender === 'human' && account !== undefined ? `claude:human/${account}` : `claude:${sender}`;
  const common = { at, entity, source, timestamp, session: `claude:${id}` };
  const text = textOf(message);
  const parts = [...partItems(message, messageId, common)];
  if (text !== null) {
    yield {
      ...common,
      kind: 'message',
      relation: `memory:message:${relationPart(messageId)}`,
      value: { type: 'text', v: text },
      key: `${id}/${messageId}`,
      derivedFrom: parent === undefined || isNone(parent) ? undefined : [`${id}/${parent}`],
    };
  } else if (parts.length === 0) yield { at, skipped: 'a message without text of its own', isBroken: false };
  yield* parts;
}

/** Returns true for the parent id of a first message, which is a uuid of zeros. */
const isNone = (parent: string): boolean => /^0{8}-/.test(parent);

const SPOKEN = new Set(['text', 'voice_note']);
const TOOLS = new Set(['tool_use', 'tool_result']);

/** Returns whether a block holds text of the conversation. Blocks of unknown types count if they have text. */
const isSpoken = (block: unknown): boolean => {
  const type = String(member(block, 'type'));
  return SPOKEN.has(type) || !(TOOLS.has(type) || LEFT_OUT.has(type) || spokenIn(block) === undefined);
};

const spokenIn = (block: unknown): string | undefined => textMember(block, 'text', 'transcript');

/**
 * Returns the text of a message. Prefers its text blocks, because newer exports put placeholders for all other blocks
 * into `text`.
 */
const textOf = (message: unknown): string | null => {
  const content = listMember(message, 'content');
  const blocks = content.filter(isSpoken).flatMap((block) => spokenIn(block) ?? []);
  if (blocks.length > 0) return blocks.join('\n\n');
  return content.every(isSpoken) ? (textMember(message, 'text') ?? null) : null;
};

function* partItems(message: unknown, messageId: string, common: Common): Generator<ImportItem> {
  const { at } = common;
  const part = relationPart(messageId);
  const skip = (skipped: string): ImportItem => ({ at, skipped, isBroken: false });
  let artifacts = 0;
  let results = 0;
  for (const block of listMember(message, 'content')) {
    const type = String(member(block, 'type'));
    if (isSpoken(block)) {
      if (spokenIn(block) === undefined) yield skip('a part of a message without text');
    } else if (type === 'tool_use') {
      const items = [...callItems(block, `memory:artifact:${part}:${artifacts + 1}`, common)];
      if (items.some((item) => 'kind' in item)) artifacts += 1;
      yield* items;
    } else if (type === 'tool_result') {
      results += 1;
      yield resultItem(block, `memory:tool_result:${part}:${results}`, common);
    } else yield skip(LEFT_OUT.get(type) ?? 'a part of a message of another kind');
  }
  for (const [nth, attachment] of listMember(message, 'attachments').entries()) {
    yield attachmentItem(attachment, `memory:attachment:${part}:${nth + 1}`, common);
  }
  for (const _ of listMember(message, 'files')) yield skip('an uploaded file, of which the export has no text');
}

const LEFT_OUT = new Map([
  ['thinking', 'thoughts of the model'],
  ['redacted_thinking', 'thoughts of the model'],
  ['image', 'an image'],
  ['token_budget', 'a count of tokens'],
  ['flag', 'a mark of the service'],
]);

function* callItems(block: unknown, relation: string, common: Common): Generator<ImportItem> {
  const input = member(block, 'input');
  // Models write artifacts by tool calls. An update contains only the new text.
  const v = textMember(input, 'content', 'file_text', 'new_str', 'code');
  const isWriting = WRITERS.has(String(member(block, 'name')));
  if (!isWriting || v === undefined) {
    const skipped = isWriting ? 'an artifact without content' : 'a call of a tool';
    yield { at: common.at, skipped, isBroken: false };
    return;
  }
  yield { ...common, kind: 'artifact', relation, value: { type: 'text', v } };
  const title = textMember(input, 'title', 'path');
  if (title === undefined) return;
  yield { ...common, kind: 'artifact title', relation: `${relation}:title`, value: { type: 'string', v: title } };
}

const WRITERS = new Set(['artifacts', 'create_file', 'str_replace']);

const resultItem = (block: unknown, relation: string, common: Common): ImportItem => {
  const content = member(block, 'content');
  const texts = (Array.isArray(content) ? content : []).flatMap((one) => textMember(one, 'text') ?? []);
  const text = typeof content === 'string' ? content : texts.join('\n\n');
  // "OK" only confirms an artifact, and is no content.
  if (text.trim() === '' || (text === 'OK' && member(block, 'name') === 'artifacts')) {
    return { at: common.at, skipped: 'a result of a tool without text', isBroken: false };
  }
  const name = textMember(block, 'name');
  return {
    ...common,
    kind: 'tool result',
    relation,
    value: { type: 'text', v: text },
    source: name === undefined ? 'claude:tool' : `claude:tool/${name}`,
  };
};

const attachmentItem = (attachment: unknown, relation: string, common: Common): ImportItem => {
  const v = textMember(attachment, 'extracted_content');
  if (v === undefined || !isObject(attachment)) {
    return { at: common.at, skipped: 'an attachment, of which the export has no text', isBroken: false };
  }
  return { ...common, kind: 'attachment', relation, value: { type: 'text', v } };
};
