import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { projectRoot } from '../architecture/source-files.ts';
import type { StoreKind } from '../kit/for-each-store.ts';

const FOLDER = join(projectRoot(), 'test/upgrade/recorded');
const FILES: Readonly<Record<StoreKind, string>> = { sqlite: 'store.db.gz', postgres: 'store.sql.gz' };

/** A request with the reply of the version that wrote the store. */
export interface KnownAnswer {
  readonly path: string;
  readonly body: unknown;
}

/** The contents of a store, by the version that wrote it. */
export interface Known {
  /** The number of rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly answers: readonly KnownAnswer[];
}

/** Returns the versions of which a store is recorded. */
export const recordedVersions = (): string[] => readdirSync(FOLDER).sort();

/** Returns a recorded store: the bytes of a file of SQLite, or the SQL that makes a database of PostgreSQL. */
export const recordedStore = (version: string, kind: StoreKind): Buffer =>
  gunzipSync(readFileSync(join(FOLDER, version, FILES[kind])));

export const knownOf = (version: string, kind: StoreKind): Known =>
  JSON.parse(gunzipSync(readFileSync(join(FOLDER, version, `${kind}.json.gz`))).toString()) as Known;

/** Records a store of a version, in place of an earlier record. */
export const saveRecord = (version: string, kind: StoreKind, store: Buffer, known: Known): void => {
  writeFileSync(join(FOLDER, version, FILES[kind]), gzipSync(store, { level: 9 }));
  writeFileSync(join(FOLDER, version, `${kind}.json.gz`), gzipSync(JSON.stringify(known), { level: 9 }));
};
