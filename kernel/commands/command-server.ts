/** One request to a running node. */
export interface ServerRequest {
  readonly method: string;
  /** For example `/v1/facts`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Replaces the key that commands send. */
  readonly key?: string;
  /** How long to wait for the whole reply, two minutes unless given. */
  readonly timeoutMs?: number;
}

export interface ServerReply {
  readonly status: number;
  header(name: string): string | undefined;
  /** The body as it came. */
  readonly text: string;
  /** The body as a JSON object, empty when it is none. */
  readonly document: Readonly<Record<string, unknown>>;
}

/**
 * A running node, named by the options `--url` and `--key-file` or the variables `SVC_URL` and `SVC_API_KEY`. Without a
 * key from these, the key that the user has saved for this address is sent.
 */
export interface CommandServer {
  /** Base address, without a slash at its end. */
  readonly url: string;
  /** Returns a reply of any status. Rejects with `unavailable` when there is no reply. */
  send(request: ServerRequest): Promise<ServerReply>;
  /**
   * Saves a key for this address, in place of the one before, in a file that only the user may read. `isUsed` is false
   * when a variable gives another key, which takes precedence.
   */
  keepKey(key: string): Promise<{ readonly path: string; readonly isUsed: boolean }>;
  /** Returns the saved key for this address. */
  keptKey(): Promise<string | undefined>;
  /** Removes the saved key for this address. Idempotent. */
  forgetKey(): Promise<void>;
}

/** The options that name a running node. */
export interface ServerPlace {
  readonly url?: string | undefined;
  readonly keyFile?: string | undefined;
}
