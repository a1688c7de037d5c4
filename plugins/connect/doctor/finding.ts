/** What one check found. */
export interface Finding {
  readonly client: string;
  /** `entry`, `node`, `key`, `mcp`, `hooks` or `recall`. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'broken';
  /** What was found. Never holds a key. */
  readonly detail: string;
  /** What to do about it. */
  readonly fix?: string;
  readonly ms?: number;
}
