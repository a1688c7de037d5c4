import { createRequire } from 'node:module';
import type { Readable, Writable } from 'node:stream';
import type { Submittable } from 'pg';

/** The used part of a package without types. Both are passed to `Client.query`, which returns them. */
interface CopyStreams {
  readonly to: (sql: string) => Readable & Submittable & { readonly rowCount: number };
  readonly from: (sql: string) => Writable & Submittable;
}

const { to, from } = createRequire(import.meta.url)('pg-copy-streams') as CopyStreams;

/** The rows that a `COPY … TO STDOUT` gives. */
export const copyOut = to;
/** Takes rows for a `COPY … FROM STDIN`. */
export const copyIn = from;
