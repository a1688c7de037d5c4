/** What the process answers to the shell. */
export const EXIT = {
  ok: 0,
  /** The command did not do what it was asked to. */
  failed: 1,
  /** The command finished, and some of its input was refused. */
  someRefused: 2,
} as const;
