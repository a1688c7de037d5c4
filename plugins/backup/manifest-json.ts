import { canonicalJson, formatHlc, parseHlc, type StoreCopy } from '../../kernel/internal-api.ts';
import { parseInstant, ServiceError, sha256Hex } from '../../kernel/plugin-api.ts';

/** Name of the file that makes a folder a backup. It is written last. */
export const MANIFEST = 'manifest.json';
/** Format version of a manifest. A program refuses unknown versions. */
const FORMAT = 1;

/** The description of a backup. */
export interface Manifest {
  /** Name of the folder. */
  readonly id: string;
  /** When the backup began, RFC 3339. It holds everything acknowledged before. */
  readonly createdAt: string;
  readonly copy: StoreCopy;
  /** Files with the node's keys. Empty if the backup contains none. `copy` does not list them. */
  readonly keyFiles: StoreCopy['files'];
}

/**
 * The text of a manifest. Its last member is the digest of all others, so that any changed byte is detected: see
 * `readManifest`.
 */
export const spellManifest = ({ id, createdAt, copy, keyFiles }: Manifest): string => {
  const { layout, files, nodeId, epoch, head, ledgers, tables, migrations, details } = copy;
  const stated = {
    format: FORMAT,
    id,
    created_at: createdAt,
    stamp: head === null ? null : formatHlc(head),
    node_id: nodeId,
    epoch,
    layout,
    files,
    key_files: keyFiles,
    tables,
    ledgers: ledgers.map(({ tenantId, number, link }) => ({ tenant_id: tenantId, number, link })),
    migrations,
    ...(details === undefined ? {} : { details }),
  };
  return `${JSON.stringify({ ...stated, sha256: digestOf(stated) }, null, 2)}\n`;
};

/** All members except the digest, as `spellManifest` writes them. */
interface Stated {
  readonly format: number;
  readonly id: string;
  readonly created_at: string;
  readonly stamp: string | null;
  readonly node_id: string | null;
  readonly epoch: string;
  readonly layout: string;
  readonly files: StoreCopy['files'];
  readonly key_files: StoreCopy['files'];
  readonly tables: StoreCopy['tables'];
  readonly ledgers: readonly { readonly tenant_id: string; readonly number: number; readonly link: string | null }[];
  readonly migrations: StoreCopy['migrations'];
  readonly details?: StoreCopy['details'];
}

/** Reads the text of a manifest. Throws `validation` for a damaged or unknown form. */
export const readManifest = (text: string): Manifest => {
  const { sha256, ...stated } = parse(text);
  const known = stated as unknown as Stated;
  if (known.format !== FORMAT && Number.isInteger(known.format)) throw newer();
  if (sha256 !== digestOf(stated) || text !== `${JSON.stringify({ ...stated, sha256 }, null, 2)}\n`) throw damaged();
  const isNamed = areFiles(known.files, FILE_NAME) && areFiles(known.key_files, KEY_FILE);
  if (!isNamed || ![known.ledgers, known.migrations].every(Array.isArray)) throw damaged();
  if (typeof known.id !== 'string' || parseInstant(String(known.created_at)) === null) throw damaged();
  const { id, created_at: createdAt, stamp, node_id: nodeId, epoch, layout, files, tables, migrations } = known;
  const ledgers = known.ledgers.map(({ tenant_id: tenantId, number, link }) => ({ tenantId, number, link }));
  const head = stamp === null ? null : (parseHlc(stamp) ?? null);
  const copy = { layout, files, nodeId, epoch, head, ledgers, tables, migrations };
  const { details } = known;
  return {
    id,
    createdAt,
    copy: details === undefined ? copy : { ...copy, details },
    keyFiles: known.key_files,
  };
};

/** Restricts names from a manifest, because they become parts of paths. */
const FILE_NAME = /^[a-z0-9_][a-z0-9_.-]{0,150}$/;
/** Only keys of the node may go into its data folder. */
export const KEY_FILE = /^node\.key(?:\.retired-[0-9a-f]+)?$/;

/** A manifest may come from a target that others can write to, so its numbers are checked as well. */
const areFiles = (files: unknown, names: RegExp): boolean =>
  Array.isArray(files) &&
  files.every((one: Partial<StoreCopy['files'][number]> | null) => {
    const { name, bytes, sha256 } = one ?? {};
    const isSized = typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0;
    return isSized && typeof name === 'string' && names.test(name) && /^[0-9a-f]{64}$/.test(String(sha256));
  });

const digestOf = (stated: object): string => sha256Hex(canonicalJson(stated));

const parse = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const parsed: unknown = JSON.parse(text);
    if (parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed)) return { ...parsed };
  } catch {
    // Reported below.
  }
  throw damaged();
};

const damaged = (): ServiceError =>
  new ServiceError('validation', 'the manifest of the backup is damaged', { hint: 'use another backup' });

const newer = (): ServiceError =>
  new ServiceError('validation', 'the backup has a form that this program does not know', {
    hint: 'use the version that wrote it or a newer one',
  });
