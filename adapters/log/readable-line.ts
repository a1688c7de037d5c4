const RESET = '\u001b[0m';
const DIM = '\u001b[2m';
const COLOURS: Readonly<Record<string, string>> = {
  debug: '\u001b[2m',
  info: '\u001b[36m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
};
/** The length of `error`, the longest level name. */
const LEVEL_WIDTH = 5;

/** Characters that control a terminal, break a line or change the direction of text, and that clients could inject. */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const BARE = /^[^\s"=]+$/;

/**
 * Turns a JSON log line into a line for a person: time of day, level, message, then the fields as `name=value`, and the
 * stack of an error below. Returns any other line unchanged. Removes characters that control a terminal.
 */
export const readableLine = (json: string, { colours }: { readonly colours: boolean }): string => {
  const entry = parsed(json);
  if (entry === undefined) return json;
  const { level, time, message, error, ...fields } = entry;
  const paint = (style: string, text: string): string =>
    colours && style !== '' && text !== '' ? `${style}${text}${RESET}` : text;
  const name = safe(String(level));
  const pairs = Object.entries(fields).map(([key, value]) => `${safe(key)}=${valueText(value)}`);
  const { headline, below } = describe(error);
  const isRoutine = name === 'info';
  const said = [
    paint(isRoutine ? '' : (COLOURS[name] ?? ''), safe(String(message))),
    paint(DIM, [...pairs, ...headline].join(' ')),
  ];
  const head = [
    paint(DIM, timeOfDay(time)),
    paint(COLOURS[name] ?? '', name.toUpperCase().padEnd(LEVEL_WIDTH)),
    ...said,
  ];
  return `${head.filter((part) => part !== '').join(' ')}\n${below.map((line) => `${paint(DIM, line)}\n`).join('')}`;
};

const parsed = (json: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
};

const timeOfDay = (time: unknown): string => {
  const instant = new Date(String(time));
  if (Number.isNaN(instant.getTime())) return safe(String(time));
  const two = (part: number): string => String(part).padStart(2, '0');
  const ms = String(instant.getMilliseconds()).padStart(3, '0');
  return `${two(instant.getHours())}:${two(instant.getMinutes())}:${two(instant.getSeconds())}.${ms}`;
};

/** Splits an error into its message, and the stacks of the error and its causes. */
const describe = (error: unknown): { readonly headline: string[]; readonly below: string[] } => {
  if (error === undefined) return { headline: [], below: [] };
  if (typeof error !== 'object' || error === null) return { headline: [`error=${valueText(error)}`], below: [] };
  const { message, hint } = error as { readonly message?: unknown; readonly hint?: unknown };
  const headline = [`error=${valueText(message)}`, ...(hint === undefined ? [] : [`hint=${valueText(hint)}`])];
  return { headline, below: stackLines(error) };
};

const stackLines = (error: object): string[] => {
  const { stack, cause } = error as { readonly stack?: unknown; readonly cause?: unknown };
  const own = typeof stack === 'string' ? stack.split('\n').map((line) => `  ${safe(line)}`) : [];
  const causes = typeof cause === 'object' && cause !== null ? stackLines(cause) : [];
  return causes.length === 0 ? own : [...own, '  caused by', ...causes];
};

const valueText = (value: unknown): string =>
  typeof value === 'string' && BARE.test(value) ? safe(value) : safe(JSON.stringify(value) ?? '');

const safe = (text: string): string =>
  text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
