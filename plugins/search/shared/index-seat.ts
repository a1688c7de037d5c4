import { rmSync } from 'node:fs';
import { chmod, link, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

export interface SeatParts {
  /** A private folder of the processes that share an index. */
  readonly folder: string;
  /** A name for this group of processes, in letters, digits and dashes. */
  readonly pool: string;
  /** The number of this process among them. */
  readonly place: number;
  /** Receives connections of the other processes, if this process becomes the holder. */
  accept(socket: Socket): void;
  /** The number of a holder that did not reply to this process. Its number and all lower ones count as free. */
  readonly givenUp?: number | undefined;
}

/** The server if this process holds the index, otherwise a connection to the process that does. */
export type Seat = { readonly number: number } & ({ readonly server: Server } | { readonly socket: Socket });

const NO_SEAT = -1;
/** An attempt fails only if another process was faster. */
const MOST_ATTEMPTS = 100;
/** Socket paths of this many bytes or more are refused by some operating system. */
const TOO_LONG = 104;
const SEAT = /^(.+)-(\d+)\.sock$/;

/**
 * Connects to the process that holds the index. If no holder is alive, one of the calling processes becomes the holder.
 * Each holder's socket has the next number. A hard link gives a socket its number: this succeeds only once per number,
 * and only after the socket accepts connections. So a socket that refuses a connection belongs to a dead process. A
 * suspended process still accepts connections; callers notice that it does not reply, and pass its number as `givenUp`.
 */
export const takeSeat = async (parts: SeatParts): Promise<Seat> => {
  const { folder, givenUp = NO_SEAT } = parts;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const newest = Math.max(givenUp, await newestSeat(parts));
    const socket = newest === givenUp ? undefined : await connected(pathOf(parts, newest));
    if (socket !== undefined) return { number: newest, socket };
    const number = newest + 1;
    const server = await claimed(number, parts);
    if (server === undefined) continue;
    await removeDead(folder);
    return { number, server };
  }
  throw new Error('no process could take the search index');
};

/** Returns the highest number of a holder of these processes; -1 without one. */
export const newestSeat = async ({ folder, pool }: Pick<SeatParts, 'folder' | 'pool'>): Promise<number> =>
  Math.max(NO_SEAT, ...(await seatsIn(folder)).map((seat) => (seat.pool === pool ? seat.number : NO_SEAT)));

const pathOf = ({ folder, pool }: SeatParts, number: number): string => join(folder, `${pool}-${number}.sock`);

const seatsIn = async (folder: string) =>
  (await readdir(folder)).flatMap((name) => {
    const [, pool = '', number] = SEAT.exec(name) ?? [];
    return number === undefined ? [] : [{ pool, number: Number(number), path: join(folder, name) }];
  });

const connected = (path: string): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });

/** Returns a server with this number; undefined if another process has the number. */
const claimed = async (number: number, parts: SeatParts): Promise<Server | undefined> => {
  const path = pathOf(parts, number);
  const draft = join(parts.folder, `${parts.pool}-${parts.place}.draft`);
  if (process.platform === 'win32') throw new Error('this system has no private sockets');
  if (Buffer.byteLength(draft) >= TOO_LONG) throw new Error('the path of the data folder is too long for a socket');
  await rm(draft, { force: true });
  const server = createServer((socket) => parts.accept(socket)).unref();
  try {
    await listening(server, draft);
    await chmod(draft, 0o600);
    await link(draft, path);
  } catch (error) {
    server.close();
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  server.once('close', () => rmSync(path, { force: true }));
  return server;
};

const listening = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    // Without `exclusive`, the supervisor process of the workers would own the socket.
    server.listen({ path, exclusive: true }, resolve);
  });

const removeDead = async (folder: string): Promise<void> => {
  for (const { path } of await seatsIn(folder)) {
    const socket = await connected(path);
    if (socket === undefined) await rm(path, { force: true });
    socket?.destroy();
  }
};
