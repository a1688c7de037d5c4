import { InvalidReplyError } from './client-errors.ts';
import type { EventMessage } from './event-message.ts';

/** The maximum length of an event, longer than any that a node sends: the largest text, with each character escaped. */
const MAX_EVENT_CHARACTERS = 8 * 2 ** 20;

/** A position without a message, from which a stream can be continued. */
export interface StreamMark {
  readonly mark: string;
}

/** A part of a stream: a message, a mark, or a comment, which is a sign of life. */
export type StreamPart = EventMessage | StreamMark | 'comment';

/**
 * Reads Server-Sent Events as the HTML standard says. Ends with the stream; an unfinished message is dropped. A message
 * that is too long for a node ends it with an `InvalidReplyError`.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamPart, void, undefined> {
  const lines = createLineReader();
  const builder = createMessageBuilder();
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const line of lines(decoder.decode(value, { stream: true }))) {
        const part = builder(line);
        if (part !== undefined) yield part;
      }
    }
  } finally {
    // Not awaited, because a platform may take long.
    void reader.cancel().catch(() => undefined);
  }
}

/** Splits text that comes in pieces at line feeds, carriage returns, or both. */
const createLineReader = (): ((piece: string) => readonly string[]) => {
  let rest = '';
  let endedWithReturn = false;
  return (piece) => {
    const text = endedWithReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') endedWithReturn = piece.endsWith('\r');
    const parts = text.split(/\r\n|\n|\r/);
    parts[0] = rest + parts[0];
    rest = parts.pop() ?? '';
    if (rest.length > MAX_EVENT_CHARACTERS) throw tooLong();
    return parts;
  };
};

/** Takes one line after the other; returns a message with the empty line that ends it. */
const createMessageBuilder = (): ((line: string) => StreamPart | undefined) => {
  let id = '';
  let event = '';
  let data: string[] = [];
  let length = 0;
  let isMarked = false;
  return (line) => {
    if (line === '') {
      const message = { id, event: event === '' ? 'message' : event, data: data.join('\n') };
      const isEmpty = data.length === 0;
      const mark = isMarked && id !== '' ? { mark: id } : undefined;
      isMarked = false;
      event = '';
      data = [];
      length = 0;
      return isEmpty ? mark : message;
    }
    if (line.startsWith(':')) return 'comment';
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'id' && !value.includes('\0')) {
      id = value;
      isMarked = true;
    }
    if (name === 'event') event = value;
    if (name !== 'data') return undefined;
    length += value.length;
    if (length > MAX_EVENT_CHARACTERS) throw tooLong();
    data.push(value);
    return undefined;
  };
};

const tooLong = (): InvalidReplyError =>
  new InvalidReplyError({ status: 200, code: 'invalid_reply', detail: 'an event of the stream is too long' });
