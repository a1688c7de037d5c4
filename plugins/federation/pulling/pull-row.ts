import { column, defineRow } from '../../../kernel/internal-api.ts';
import type { Row, Scope } from '../../../kernel/plugin-api.ts';

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

const NAME = {
  tenantId: column.text('tenant_id'),
  peerId: column.text('peer_id'),
  scope: column.text<Scope>('scope'),
};

const PULL_ROW = defineRow<PullRow>({
  ...NAME,
  cursor: column.textOrNull('cursor'),
  epoch: column.textOrNull('epoch'),
  storeEpoch: column.text('store_epoch'),
  wantsOwn: column.flag('wants_own'),
  grantVersion: column.number('grant_version'),
  dueMs: column.number('due_ms'),
  leaseUntilMs: column.number('lease_until_ms'),
  fence: column.number('fence'),
  failures: column.number('failures'),
  lastOkMs: column.numberOrNull('last_ok_ms'),
  lastFailureMs: column.numberOrNull('last_failure_ms'),
  lastError: column.textOrNull('last_error'),
  caughtUpMs: column.numberOrNull('caught_up_ms'),
  remaining: column.numberOrNull('remaining'),
});

export const { fromRow: pullOf } = PULL_ROW;
export const whereOf: (name: PullName) => Row = defineRow<PullName>(NAME).rowOf;

export type PullChange = Partial<Omit<PullRow, keyof PullName>>;

export const columnsOf: (change: PullChange) => Row = PULL_ROW.columnsOf;

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
