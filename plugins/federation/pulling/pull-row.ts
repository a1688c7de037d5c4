import { numberOrNull, textOrNull } from '../../../kernel/internal-api.ts';
import type { Scope, SqlValue } from '../../../kernel/plugin-api.ts';

/** The progress of this node in reading one scope of one peer. */
export interface PullRow {
  readonly tenantId: string;
  readonly peerId: string;
  readonly scope: Scope;
  readonly cursor: string | null;
  readonly epoch: string | null;
  /** The epoch of this node's store in which the pull began. */
  readonly storeEpoch: string;
  /**
   * True until this pull has read the whole feed in `storeEpoch`. Until then it also asks for own facts that this node
   * may lack.
   */
  readonly wantsOwn: boolean;
  readonly grantVersion: number;
  /** The instant of the next request, by the node's own clock. */
  readonly dueMs: number;
  /** The instant at which the lease ends, by the store's clock, which all processes share. */
  readonly leaseUntilMs: number;
  /** A number that grows whenever another process takes over. */
  readonly fence: number;
  readonly failures: number;
  readonly lastOkMs: number | null;
  readonly lastFailureMs: number | null;
  readonly lastError: string | null;
  /** The instant at which the peer's whole feed was last stored here. */
  readonly caughtUpMs: number | null;
  readonly remaining: number | null;
}

export type PullName = Pick<PullRow, 'tenantId' | 'peerId' | 'scope'>;

export const whereOf = ({ tenantId, peerId, scope }: PullName) => ({
  tenant_id: tenantId,
  peer_id: peerId,
  scope,
});

const COLUMNS = {
  cursor: 'cursor',
  epoch: 'epoch',
  storeEpoch: 'store_epoch',
  wantsOwn: 'wants_own',
  grantVersion: 'grant_version',
  dueMs: 'due_ms',
  leaseUntilMs: 'lease_until_ms',
  fence: 'fence',
  failures: 'failures',
  lastOkMs: 'last_ok_ms',
  lastFailureMs: 'last_failure_ms',
  lastError: 'last_error',
  caughtUpMs: 'caught_up_ms',
  remaining: 'remaining',
} as const;

export type PullChange = Partial<Omit<PullRow, keyof PullName>>;

export const columnsOf = (change: PullChange): Record<string, SqlValue> =>
  Object.fromEntries(
    Object.entries(change).map(([name, value]) => [
      COLUMNS[name as keyof typeof COLUMNS],
      typeof value === 'boolean' ? Number(value) : value,
    ]),
  );

/** Creates a pull that starts at the beginning of the feed and is due at once. */
export const freshPull = (
  name: PullName,
  { grantVersion, storeEpoch, fence }: Pick<PullRow, 'grantVersion' | 'storeEpoch' | 'fence'>,
): PullRow => ({
  ...name,
  cursor: null,
  epoch: null,
  storeEpoch,
  wantsOwn: true,
  grantVersion,
  dueMs: 0,
  leaseUntilMs: 0,
  fence,
  failures: 0,
  lastOkMs: null,
  lastFailureMs: null,
  lastError: null,
  caughtUpMs: null,
  remaining: null,
});

export const pullOf = (row: Record<string, SqlValue>): PullRow => ({
  tenantId: String(row['tenant_id']),
  peerId: String(row['peer_id']),
  scope: row['scope'] as Scope,
  cursor: textOrNull(row['cursor']),
  epoch: textOrNull(row['epoch']),
  storeEpoch: String(row['store_epoch']),
  wantsOwn: Number(row['wants_own']) === 1,
  grantVersion: Number(row['grant_version']),
  dueMs: Number(row['due_ms']),
  leaseUntilMs: Number(row['lease_until_ms']),
  fence: Number(row['fence']),
  failures: Number(row['failures']),
  lastOkMs: numberOrNull(row['last_ok_ms']),
  lastFailureMs: numberOrNull(row['last_failure_ms']),
  lastError: textOrNull(row['last_error']),
  caughtUpMs: numberOrNull(row['caught_up_ms']),
  remaining: numberOrNull(row['remaining']),
});
