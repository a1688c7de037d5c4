/** One request to a running node. */
export interface ServerRequest {
  readonly method: string;
  /** The path of the request, for example `/v1/facts`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The session of the request. The name of its header depends on the name of the service. */
  readonly session?: string;
  readonly body?: Uint8Array;
  /** The API key, in place of the usual key; null sends none. */
  readonly key?: string | null;
  /** The time limit for the whole reply in milliseconds. Default: two minutes. */
  readonly timeoutMs?: number;
}

export interface ServerReply {
  readonly status: number;
  /** The source of the key that the request carried, such as `SVC_API_KEY`; absent in a request without a key. */
  readonly keyFrom?: string;
  header(name: string): string | undefined;
  /** The body as text. */
  readonly text: string;
  /** The body as a JSON object; empty for any other body. */
  readonly document: Readonly<Record<string, unknown>>;
}

/**
 * A running node, named by the options `--url` and `--key-file` or the variables `SVC_URL` and `SVC_API_KEY`. The key
 * of the variable goes only to the address of the variable. If neither option nor variable gives a key, requests carry
 * the key that the user has saved for this address.
 */
export interface CommandServer {
  /** The base address in its canonical spelling, without a trailing slash. */
  readonly url: string;
  /**
   * Returns a reply of any status. Rejects with `unavailable` when there is no reply, and with
   * `authorization`, before anything is sent, when the only key is one of another address.
   */
  send(request: ServerRequest): Promise<ServerReply>;
  /**
   * Saves a key for this address in a file that only the user may read, and replaces an earlier key. `isUsed` is false
   * when a variable provides another key, which takes precedence.
   */
  saveKey(key: string): Promise<{ readonly path: string; readonly isUsed: boolean }>;
  /** Returns the saved key for this address. */
  savedKey(): Promise<string | undefined>;
  /** Removes the saved key for this address. Idempotent. */
  forgetKey(): Promise<void>;
  /**
   * Returns the folder for files in which commands remember their work with this node: its data folder where the node
   * runs there, otherwise a folder of the user. The folder may not exist yet.
   */
  stateFolder(): Promise<string>;
  /** Saves a short text about this address, in a file that only the user may read, and replaces an earlier text. */
  remember(name: string, text: string): Promise<void>;
  /** Returns the text about this address; undefined without one. */
  remembered(name: string): Promise<string | undefined>;
}

/** The options that name a running node. */
export interface ServerPlace {
  readonly url?: string | undefined;
  readonly keyFile?: string | undefined;
}
