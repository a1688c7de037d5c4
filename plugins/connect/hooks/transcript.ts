import { openOrdinaryFile, readPart } from '../../../kernel/internal-api.ts';
import { ServiceError, sha256Hex } from '../../../kernel/plugin-api.ts';

/** Only the end of a long session is read. */
const MAX_TAIL_BYTES = 4 * 1024 * 1024;
const MAX_PROMPTS = 200;

/** A prompt of the user. */
export interface Said {
  /** Stable across readings of the same transcript. */
  readonly id: string;
  readonly text: string;
  /** The time in the transcript. */
  readonly timestamp: string | undefined;
}

type Line = Readonly<Record<string, unknown>>;

/** The newest prompts of a transcript, oldest first. Skips lines of other forms. */
export const readTranscript = async (path: string): Promise<readonly Said[]> => {
  const lines = linesOf(await readTail(path));
  const events = lines.some((line) => isCodexPrompt(line));
  const said: Said[] = [];
  for (const line of lines) {
    // A rollout holds each prompt twice, once within the model's input.
    if (events && !isCodexPrompt(line)) continue;
    const text = promptOf(line)?.trim() ?? '';
    if (text === '') continue;
    const time = textAt(line, 'timestamp');
    const mark = textAt(line, 'uuid') ?? textAt(line, 'id') ?? time ?? '';
    said.push({ id: sha256Hex(JSON.stringify([mark, text])).slice(0, 16), text, timestamp: instantOf(time) });
  }
  return said.slice(-MAX_PROMPTS);
};

const readTail = async (path: string): Promise<string> => {
  const file = await openOrdinaryFile(path);
  if (file === undefined) throw new ServiceError('lookup', 'there is no transcript');
  try {
    const start = Math.max(0, (await file.stat()).size - MAX_TAIL_BYTES);
    const text = (await readPart(file, start, MAX_TAIL_BYTES)).toString('utf8');
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await file.close();
  }
};

/** JSON lines, or one document with a list of requests. */
const linesOf = (text: string): readonly Line[] => {
  const whole = parse(text);
  const requests: unknown = whole?.['requests'];
  if (Array.isArray(requests)) return (requests as readonly unknown[]).filter(isObject);
  return text
    .split('\n')
    .map(parse)
    .filter((line) => line !== undefined);
};

const parse = (text: string): Line | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const isCodexPrompt = (line: Line): boolean =>
  line['type'] === 'event_msg' && textAt(objectAt(line, 'payload'), 'type') === 'user_message';

/** The prompt in a line, for the format of any client; undefined for other lines. */
const promptOf = (line: Line): string | undefined => {
  const payload = objectAt(line, 'payload');
  const message = objectAt(line, 'message');
  if (isCodexPrompt(line)) return textAt(payload, 'message');
  if (line['type'] === 'response_item')
    return textAt(payload, 'role') === 'user' ? spoken(payload['content']) : undefined;
  if (line['type'] === 'user.message') return textAt(objectAt(line, 'data'), 'content');
  if (line['isMeta'] === true || line['isSidechain'] === true || line['isCompactSummary'] === true) return undefined;
  if (line['type'] === 'user' && textAt(message, 'role') === 'user') return spoken(message['content']);
  if (line['role'] === 'user') return spoken(message['content'] ?? line['content']);
  // A request of a chat session.
  return line['response'] === undefined ? undefined : textAt(message, 'text');
};

/** Only the user's own text, without tool results and the client's additions in angle brackets. */
const spoken = (content: unknown): string | undefined => {
  const parts = Array.isArray(content)
    ? content.filter(isObject).flatMap((part) => (TEXT_PARTS.has(part['type']) ? [textAt(part, 'text') ?? ''] : []))
    : [typeof content === 'string' ? content : ''];
  const text = parts.join('\n').trim();
  const query = between(text, '<user_query>', '</user_query>');
  if (query !== undefined) return query;
  return /^<[a-zA-Z_-]+[ >]/.test(text) || /^# AGENTS\.md/.test(text) ? undefined : text;
};

const between = (text: string, begin: string, end: string): string | undefined => {
  const start = text.indexOf(begin);
  const stop = start < 0 ? -1 : text.indexOf(end, start);
  return stop < 0 ? undefined : text.slice(start + begin.length, stop);
};

const TEXT_PARTS: ReadonlySet<unknown> = new Set(['text', 'input_text']);

const instantOf = (text: string | undefined): string | undefined => {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
};

const textAt = (line: Line, name: string): string | undefined => {
  const value = line[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const objectAt = (line: Line, name: string): Line => {
  const value = line[name];
  return isObject(value) ? value : {};
};

const isObject = (value: unknown): value is Line =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
