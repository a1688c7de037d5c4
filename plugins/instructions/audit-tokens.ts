import { encodeBase64Url, isIntact } from '../../kernel/internal-api.ts';
import {
  type Clock,
  openJson,
  type PluginTables,
  type PluginTransaction,
  type Principal,
  type Random,
  type SealedColumns,
  ServiceError,
  sealJson,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import type { AuditLog } from '../audit/audit-api.ts';
import type { UsageReport } from './instructions-api.ts';
import { TOKENS_TABLE } from './instructions-migrations.ts';
import { AUDIT_TOKEN_EXPIRED, AUDIT_TOKEN_INVALID, INSTRUCTION_AUDIT } from './instructions-words.ts';
import { manifestOf } from './manifest-json.ts';

export const SEALED = {
  table: TOKENS_TABLE,
  key: ['tenant_id', 'digest'],
  columns: ['chunks'],
} as const satisfies SealedColumns;

/** How long an agent may report its use of the units. */
export const TOKEN_LIFETIME_MS = 24 * 60 * 60 * 1_000;
/** How long an expired token stays stored, so that a late caller gets the error `audit_token_expired`. */
const REMEMBERED_MS = 6 * TOKEN_LIFETIME_MS;
const TOKEN_BYTES = 16;

export interface AuditTokensParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: AuditLog | undefined;
}

/** The units that an agent has loaded. */
export interface LoadedUnits {
  /** The fact that holds the manifest. */
  readonly manifestId: string;
  /** Names of units. */
  readonly chunks: readonly string[];
}

/** Tokens with which agents report how they used their instructions. Only digests are stored. */
export class AuditTokens {
  readonly #parts: AuditTokensParts;

  constructor(parts: AuditTokensParts) {
    this.#parts = parts;
  }

  /** Returns a fresh token that only the caller can use. It is durable when the promise resolves. */
  async issue({ tenantId, entityUri }: Principal, { manifestId, chunks }: LoadedUnits): Promise<string> {
    const { tables, clock, random } = this.#parts;
    const token = `audi_${encodeBase64Url(random.bytes(TOKEN_BYTES))}`;
    const row = {
      digest: sha256Hex(token),
      tenant_id: tenantId,
      entity_uri: entityUri,
      fact_id: manifestId,
      chunks: sealJson(chunks),
      issued_ms: clock.nowMs(),
      is_used: 0,
    };
    await tables.write(tenantId, (own) => own.insertRows(TOKENS_TABLE, [row]));
    return token;
  }

  /**
   * Adds one entry to the audit log, however often the token is submitted. Throws `audit_token_invalid` for a token
   * that was never given to this caller, and `audit_token_expired` after a day.
   */
  async submit(caller: Principal, token: string, report: UsageReport): Promise<void> {
    const { tables, clock } = this.#parts;
    await tables.write(caller.tenantId, async (own, transaction) => {
      const key = { tenant_id: caller.tenantId, digest: sha256Hex(token) };
      const [row] = await own.select(TOKENS_TABLE, key);
      if (row?.['entity_uri'] !== caller.entityUri) {
        throw new ServiceError(AUDIT_TOKEN_INVALID, 'this audit token was not given to this caller');
      }
      if (clock.nowMs() - Number(row['issued_ms']) > TOKEN_LIFETIME_MS) {
        throw new ServiceError(AUDIT_TOKEN_EXPIRED, 'the audit token is older than 24 hours');
      }
      if (Number(row['is_used']) === 1) return;
      const chunks = own.parseOne(row, (stored) => openJson<readonly string[]>(SEALED, stored, 'chunks')) ?? [];
      await own(TOKENS_TABLE).where(key).update({ is_used: 1 });
      await this.#record(caller, { manifestId: String(row['fact_id']), chunks }, report, transaction);
    });
  }

  /** Deletes tokens that are too old to be submitted. */
  async dropOld(): Promise<void> {
    const { tables, clock } = this.#parts;
    const before = clock.nowMs() - TOKEN_LIFETIME_MS - REMEMBERED_MS;
    await tables(TOKENS_TABLE).where('issued_ms', '<', before).delete();
  }

  /**
   * Adds an entry to the audit log. It contains only names from the manifest and no words of the agent, because entries
   * are never erased.
   */
  async #record(
    { tenantId, entityUri, oidcSub }: Principal,
    { manifestId, chunks }: LoadedUnits,
    { used, missed }: UsageReport,
    transaction: PluginTransaction,
  ): Promise<void> {
    const { audit } = this.#parts;
    const fact = await transaction.get(tenantId, manifestId);
    if (audit === undefined || fact === undefined || !isIntact(fact)) return;
    const { version, units } = manifestOf(fact);
    const detail = {
      version,
      chunks,
      used_chunks: chunks.filter((name) => used.includes(name)),
      missed_chunks: units.map(({ name }) => name).filter((name) => missed.includes(name)),
    };
    const entry = { event: INSTRUCTION_AUDIT, tenantId, entityUri, oidcSub, factId: manifestId, detail };
    await audit.record(entry, transaction);
  }
}
