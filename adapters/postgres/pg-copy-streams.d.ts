/** The little that is used here of a package without types. Both are passed to `Client.query`, which returns them. */
declare module 'pg-copy-streams' {
  import type { Readable, Writable } from 'node:stream';
  import type { Submittable } from 'pg';

  export const to: (sql: string) => Readable & Submittable & { readonly rowCount: number };
  export const from: (sql: string) => Writable & Submittable & { readonly rowCount: number };
}
