/** The time limits of a session, in milliseconds. */
export interface SessionLimits {
  readonly lockTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly idleInTransactionMs: number;
}

/**
 * Returns a statement with the settings on which the store relies, for a session or for one transaction. One statement
 * for all settings costs a tenth of one for each.
 */
export const settingsStatement = (limits: SessionLimits, scope: 'session' | 'transaction'): string => {
  const values: Readonly<Record<string, string>> = {
    lock_timeout: `'${limits.lockTimeoutMs}'`,
    statement_timeout: `'${limits.statementTimeoutMs}'`,
    idle_in_transaction_session_timeout: `'${limits.idleInTransactionMs}'`,
    client_min_messages: `'warning'`,
    extra_float_digits: `'1'`,
    bytea_output: `'hex'`,
    // Compiling a statement takes longer than any of ours runs.
    jit: `'off'`,
    // A stricter setting of the operator stays.
    synchronous_commit: `CASE WHEN current_setting('synchronous_commit') IN ('off', 'local', 'remote_write') THEN 'on'
      ELSE current_setting('synchronous_commit') END`,
  };
  const calls = Object.entries(values).map(
    ([name, value]) => `set_config('${name}', ${value}, ${scope === 'transaction'})`,
  );
  return `SELECT ${calls.join(', ')}`;
};
