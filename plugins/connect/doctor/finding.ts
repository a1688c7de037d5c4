export interface Finding {
  readonly client: string;
  /** `entry`, `node`, `key`, `mcp`, `hooks` or `recall`. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'broken';
  /** A description, which never contains a key. */
  readonly detail: string;
  /** The remedy. */
  readonly fix?: string;
  readonly ms?: number;
}
