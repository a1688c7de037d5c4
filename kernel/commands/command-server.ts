/** One request to a running node. */
export interface ServerRequest {
  readonly method: string;
  /** For example `/v1/facts`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Sent in place of the key that commands use. */
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
 * A running node, as the options `--url` and `--key-file` and the variables `SVC_URL` and `SVC_API_KEY` name it.
 * Without a key of those, the one that the user has kept for this address is sent.
 */
export interface CommandServer {
  /** Base address, without a slash at its end. */
  readonly url: string;
  /** Rejects with `unavailable` when nobody answers; any status is a reply. */
  send(request: ServerRequest): Promise<ServerReply>;
  /**
   * Keeps a key for this address, in place of the one before, in a file that only the user may read. `isUsed` says
   * whether commands will send it: the variable goes first.
   */
  keepKey(key: string): Promise<{ readonly path: string; readonly isUsed: boolean }>;
  /** The key that is kept for this address. */
  keptKey(): Promise<string | undefined>;
  /** Removes the key that is kept for this address. Idempotent. */
  forgetKey(): Promise<void>;
}

/** Which running node, as the options of commands name it. */
export interface ServerPlace {
  readonly url?: string | undefined;
  readonly keyFile?: string | undefined;
}
