import type { ImportDraft, ImportItem } from './importers-api.ts';
import { idMember, isObject, listMember, member, parsedObject, relationPart, textMember } from './origin-values.ts';

export interface AroundMessage {
  /** The id of the conversation. */
  readonly id: string;
  readonly entity: string;
  /** The id of the nearest earlier message that becomes a fact. */
  readonly said: string | undefined;
  readonly timestamp: string | undefined;
}

/** Yields the items of a message: its text, canvas documents, attachments, images and recordings. */
export function* chatGptMessageItems(message: unknown, at: string, around: AroundMessage): Generator<ImportItem> {
  if (!isObject(message)) return;
  const { id, entity, said, timestamp } = around;
  const messageId = idMember(message, 'id');
  if (messageId === undefined) {
    yield { at, skipped: 'a message without an id', isBroken: true };
    return;
  }
  const common = { at, entity, source: authorOf(message), timestamp, session: `chatgpt:${id}` };
  const document = canvasDocument(message);
  const text = saidIn(message);
  const left = partsLeftOut(message, at);
  if (document !== undefined) yield* documentItems(document, messageId, common);
  else if (text === null) yield { at, skipped: 'a message without text of its own', isBroken: false };
  else {
    yield {
      ...common,
      kind: 'message',
      relation: `memory:message:${relationPart(messageId)}`,
      value: { type: 'text', v: text },
      key: `${id}/${messageId}`,
      derivedFrom: said === undefined ? undefined : [`${id}/${said}`],
    };
  }
  yield* left;
}

const authorOf = (message: unknown): string => {
  const author = member(message, 'author');
  const role = textMember(author, 'role') ?? 'unknown';
  const name =
    role === 'assistant' ? textMember(member(message, 'metadata'), 'model_slug') : textMember(author, 'name');
  return name === undefined ? `chatgpt:${role}` : `chatgpt:${role}/${name}`;
};

/** Content types of the model's internal notes, which are not imported. */
const UNSAID = new Set(['thoughts', 'reasoning_recap', 'model_editable_context', 'user_editable_context']);

/** Returns the text of a message, or the transcript of a recording; null for a message without either. */
export const saidIn = (message: unknown): string | null => {
  const content = member(message, 'content');
  if (UNSAID.has(String(member(content, 'content_type'))) || isHidden(message)) return null;
  if (canvasDocument(message) !== undefined) return null;
  const parts = listMember(content, 'parts').map((part) =>
    typeof part === 'string' ? part : (textMember(part, 'text') ?? ''),
  );
  const text =
    parts.filter((part) => part.trim() !== '').join('\n\n') ||
    (textMember(content, 'text', 'result', 'summary', 'output') ?? '');
  return text.trim() === '' ? null : text;
};

const isHidden = (message: unknown): boolean =>
  member(member(message, 'metadata'), 'is_visually_hidden_from_conversation') === true;

interface CanvasDocument {
  readonly title: string | undefined;
  readonly texts: readonly string[];
}

/**
 * Returns the canvas document that a message writes. Models write the canvas by tool calls, as a whole document or as
 * replacements of its parts.
 */
const canvasDocument = (message: unknown): CanvasDocument | undefined => {
  if (!/^canmore\.(create|update)_textdoc$/.test(String(member(message, 'recipient')))) return undefined;
  const content = member(message, 'content');
  const spelled = textMember(content, 'text') ?? listMember(content, 'parts').find((part) => typeof part === 'string');
  const call = parsedObject(typeof spelled === 'string' ? spelled : '');
  const whole = textMember(call, 'content');
  const changed = listMember(call, 'updates').flatMap((update) => textMember(update, 'replacement') ?? []);
  const texts = whole === undefined ? changed : [whole];
  return texts.length === 0 ? undefined : { title: textMember(call, 'name'), texts };
};

function* documentItems(
  { title, texts }: CanvasDocument,
  messageId: string,
  common: Pick<ImportDraft, 'at' | 'entity' | 'source' | 'timestamp' | 'session'>,
): Generator<ImportItem> {
  for (const [nth, v] of texts.entries()) {
    const relation = `memory:artifact:${relationPart(messageId)}:${nth + 1}`;
    yield { ...common, kind: 'artifact', relation, value: { type: 'text', v } };
    if (title === undefined) continue;
    yield { ...common, kind: 'artifact title', relation: `${relation}:title`, value: { type: 'string', v: title } };
  }
}

const partsLeftOut = (message: unknown, at: string): readonly ImportItem[] => {
  const skip = (skipped: string): ImportItem => ({ at, skipped, isBroken: false });
  const parts = listMember(member(message, 'content'), 'parts')
    .filter((part) => isObject(part) && textMember(part, 'text') === undefined)
    .map((part) => skip(mediumOf(String(member(part, 'content_type')))));
  const attachments = listMember(member(message, 'metadata'), 'attachments');
  return [...parts, ...attachments.map(() => skip('an attachment, of which the export has no text'))];
};

const mediumOf = (contentType: string): string => {
  if (contentType.startsWith('image')) return 'an image';
  return /audio|video/.test(contentType) ? 'a recording' : 'a part of a message without text';
};
