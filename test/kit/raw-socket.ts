import { connect, type Socket } from 'node:net';

/** A connection on which a test writes raw bytes. */
export interface RawConnection {
  readonly socket: Socket;
  /** Returns everything received so far, byte for byte. */
  received(): string;
  /** Resolves once `text` has been received; rejects when the connection ends before. */
  until(text: string): Promise<void>;
  /** Resolves with everything received when the other side has closed the connection. */
  closed(): Promise<string>;
}

export const openRaw = async (url: string): Promise<RawConnection> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  let isClosed = false;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of waiting) look();
  };
  socket.setEncoding('latin1');
  socket.on('data', (text) => {
    received += text;
    wake();
  });
  // Ignores the error of a reset, because the close event that follows ends all waits.
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
    wake();
  });
  const when = (holds: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!holds() && !isClosed) return;
        waiting.delete(look);
        if (holds()) resolve();
        else reject(new Error(`the connection ended after: ${received}`));
      };
      waiting.add(look);
      look();
    });
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  return {
    socket,
    received: () => received,
    until: (text) => when(() => received.includes(text)),
    closed: () => when(() => isClosed).then(() => received),
  };
};

/** Writes the bytes, and waits until the server has closed the connection. */
export const exchangeRaw = async (url: string, text: string): Promise<string> => {
  const connection = await openRaw(url);
  connection.socket.write(text, 'latin1');
  return connection.closed();
};

export interface RawReply {
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Splits received text into replies by their Content-Length, including interim replies. */
export const parseReplies = (text: string): RawReply[] => {
  const replies: RawReply[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at);
    const [statusLine = '', ...lines] = text.slice(at, end).split('\r\n');
    const pairs = lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.replace(/^[^:]*: ?/, '')]);
    const headers: Record<string, string> = Object.fromEntries(pairs);
    const start = end + 4;
    at = start + Number(headers['content-length'] ?? 0);
    replies.push({ status: Number(statusLine.split(' ')[1]), headers, body: text.slice(start, at) });
  }
  return replies;
};
