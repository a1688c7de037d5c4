import { openOrdinaryFile, readPart } from '../../../kernel/internal-api.ts';
import { ServiceError, sha256Hex } from '../../../kernel/plugin-api.ts';
import { ownWords } from './harness-text.ts';

/** The maximum number of bytes that are read from the end of a transcript. */
const MAX_TAIL_BYTES = 4 * 1024 * 1024;
const MAX_PROMPTS = 200;

/** A prompt of the user, or the conclusion of the agent at the end of a turn. */
export interface Said {
  readonly by: 'person' | 'agent';
  /** Equal in every transcript that contains the prompt, so that a resumed or forked session stores nothing twice. */
  readonly id: string;
  readonly text: string;
  /** The time of the prompt, as the transcript gives it. */
  readonly timestamp: string | undefined;
}

type Line = Readonly<Record<string, unknown>>;

/** The newest prompts and conclusions of a transcript, oldest first. Skips lines of other forms. */
export const saidIn = (transcript: string): readonly Said[] => {
  const lines = linesOf(transcript);
  const events = lines.some((line) => isCodexPrompt(line));
  const said: Said[] = [];
  let conclusion: Said | undefined;
  for (const line of lines) {
    const concluded = conclusionOf(line)?.join('\n').trim() ?? '';
    if (concluded !== '') conclusion = saidOf(line, concluded, 'agent');
    // A transcript of Codex contains each prompt twice, once inside the model's input.
    if (events && !isCodexPrompt(line)) continue;
    const parts = promptOf(line);
    if (parts === undefined || parts.every((part) => part.trim() === '')) continue;
    // Only the agent's last text before the next prompt is a conclusion.
    if (conclusion !== undefined) said.push(conclusion);
    conclusion = undefined;
    const text = ownWords(parts).trim();
    if (text !== '') said.push(saidOf(line, text, 'person'));
  }
  if (conclusion !== undefined) said.push(conclusion);
  return said.slice(-MAX_PROMPTS);
};

const saidOf = (line: Line, text: string, by: Said['by']): Said => {
  const time = textAt(line, 'timestamp');
  // A forked session has new line ids but the same times. Codex gives new times to copied lines.
  const mark = line['type'] === 'event_msg' ? '' : (time ?? textAt(line, 'uuid') ?? textAt(line, 'id') ?? '');
  const id = sha256Hex(JSON.stringify([mark, text])).slice(0, 16);
  return { by, id: by === 'agent' ? `agent-${id}` : id, text, timestamp: instantOf(time) };
};

/** The end of a transcript. */
export const readTranscript = async (path: string): Promise<string> => {
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

/** Reads the lines of a transcript in JSON lines, or the requests of a transcript that is one JSON document. */
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

/** The parts of the prompt in a line, for the format of any client; undefined for other lines. */
const promptOf = (line: Line): readonly string[] | undefined => {
  const payload = objectAt(line, 'payload');
  const message = objectAt(line, 'message');
  if (isCodexPrompt(line)) return textsIn(payload['message']);
  if (line['type'] === 'response_item')
    return textAt(payload, 'role') === 'user' ? textsIn(payload['content']) : undefined;
  if (line['type'] === 'user.message') return textsIn(objectAt(line, 'data')['content']);
  if (isAside(line)) return undefined;
  if (line['type'] === 'user' && textAt(message, 'role') === 'user') return textsIn(message['content']);
  // Gemini CLI also records results of tools as lines of the user.
  if (line['type'] === 'user' && line['content'] !== undefined)
    return textsIn(line['displayContent'] ?? line['content']);
  if (line['role'] === 'user') return textsIn(message['content'] ?? line['content']);
  // This line is a request in a chat session.
  return line['response'] === undefined ? undefined : textsIn(message['text']);
};

/** The parts of what the agent says in a line; undefined for other lines. */
const conclusionOf = (line: Line): readonly string[] | undefined => {
  const payload = objectAt(line, 'payload');
  if (line['type'] === 'event_msg')
    return textAt(payload, 'type') === 'agent_message' ? textsIn(payload['message']) : undefined;
  if (line['type'] === 'assistant.message') return textsIn(objectAt(line, 'data')['content']);
  if (isAside(line) || !(AGENTS.has(line['type']) || line['role'] === 'assistant')) return undefined;
  return textsIn(objectAt(line, 'message')['content'] ?? line['content']);
};

const AGENTS: ReadonlySet<unknown> = new Set(['assistant', 'gemini']);

/** Returns true for summaries, and for lines that the client itself or a subagent wrote. */
const isAside = (line: Line): boolean =>
  line['isMeta'] === true ||
  line['isSidechain'] === true ||
  line['isCompactSummary'] === true ||
  line['isApiErrorMessage'] === true;

/** The text parts of a content, without tool results. */
const textsIn = (content: unknown): readonly string[] =>
  Array.isArray(content)
    ? content.filter(isObject).flatMap((part) => (TEXT_PARTS.has(part['type']) ? [textAt(part, 'text') ?? ''] : []))
    : [typeof content === 'string' ? content : ''];

/** Parts of Gemini CLI have no type. */
const TEXT_PARTS: ReadonlySet<unknown> = new Set(['text', 'input_text', undefined]);

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
