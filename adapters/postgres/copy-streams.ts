import { createRequire } from 'node:module';
import type { Readable, Writable } from 'node:stream';
import type { Submittable } from 'pg';

/** The used part of an untyped package. `Client.query` accepts both streams and returns them. */
interface CopyStreams {
  readonly to: (sql: string) => Readable & Submittable & { readonly rowCount: number };
  readonly from: (sql: string) => Writable & Submittable;
}

const { to, from } = createRequire(import.meta.url)('pg-copy-streams') as CopyStreams;

/** Returns a stream of the rows of a `COPY … TO STDOUT`. */
export const copyOut = to;
/** Returns a stream that accepts the rows of a `COPY … FROM STDIN`. */
export const copyIn = from;
