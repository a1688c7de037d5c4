/**
 * A file in the data folder that records withdrawals. After a restore, the next start repeats them. The file comes with
 * its first entry.
 */
export interface WithdrawalJournal {
  /** The path below the data folder. */
  readonly file: string;
  /** The things that come back without the file, in the plural: "revoked keys". */
  readonly withdrawn: string;
  /** The command that lists them, for example "key list". Undefined if only their owners can tell. */
  readonly listCommand?: string;
  /** Whether the lines are receipts of erasures, so that an older backup still holds the erased text. */
  readonly holdsErasures?: boolean;
}
