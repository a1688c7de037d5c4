import type { Readable, Writable } from 'node:stream';
import type { Scope } from '../../ports/ports.ts';

/** What the command line is given by the composition root: it knows the node only by this. */
export interface CommandLineDeps {
  readonly version: string;
  /** As the process got it; `start` adds what its own flags set. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  /** Text for people, and answers for scripts. */
  readonly stdout: Writable;
  /** Logs, progress and errors. */
  readonly stderr: Writable;
  /** Composes a node. Nothing is opened yet; rejects with every problem that the configuration alone shows. */
  openNode(options: OpenNodeOptions): Promise<NodeHandle>;
  /** Looks for every reason why a node of this configuration would not start. Creates and changes nothing. */
  inspectNode(options: Pick<OpenNodeOptions, 'configFile' | 'env'>): Promise<NodeInspection>;
  /** The single reasons behind a failed start, empty for any other error. */
  problemsOf(error: unknown): readonly StartProblem[];
}

export interface StartProblem {
  readonly message: string;
  readonly hint?: string | undefined;
}

export interface NodeInspection {
  /** Empty when the node would start. */
  readonly problems: readonly StartProblem[];
  /** Plugins that are on. */
  readonly pluginCount: number;
  /** Where the store is, for people, in full. */
  readonly store: string;
  /** False while the first start has yet to make it, and where nobody could look. */
  readonly hasStore: boolean;
}

export interface OpenNodeOptions {
  /** Path of the configuration file, undefined for the default one. */
  readonly configFile: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** False boots everything but the listener: the store is prepared, nothing is served. */
  readonly serve: boolean;
  /**
   * Whether `start` makes the store when there is none. Otherwise it rejects with `lookup` and names the place where it
   * looked.
   */
  readonly createsStore: boolean;
  /** One of several processes that serve together behind one port: its log lines say which. */
  readonly worker?: boolean | undefined;
}

/** One node, from its configuration to its end. */
export interface NodeHandle {
  /**
   * Boots: migrates the store, sets the plugins up and, when asked to, serves. Rejects with all boot problems together.
   */
  start(): Promise<void>;
  /** Boots as `start` does, without serving: what needs to be done once before several processes serve. */
  prepare(): Promise<void>;
  /** Drains, then closes everything. Idempotent, and harmless before `start`. */
  stop(): Promise<void>;
  /**
   * What is configured. This node is neither started nor is its store opened. `including` names a plugin that is
   * described as if it were on. Rejects with all boot problems together.
   */
  describe(including?: string): Promise<NodeDescription>;
  /** Base address while serving, for example `http://127.0.0.1:8765`; null otherwise. */
  url(): string | null;
  /** Key administration of a started node; undefined while the `keys` plugin is off. */
  keys(): KeyAdministration | undefined;
  /**
   * Capability tokens of a started node, of the default tenant unless named; undefined while the `capability-tokens`
   * plugin is off.
   */
  tokens(tenantId?: string): TokenAdministration | undefined;
  /**
   * Puts a new key in the place of the node's own, on a started node; undefined while the `node-info` plugin is off.
   */
  readonly rotateKey: (() => Promise<RotatedKey>) | undefined;
  /**
   * Generates the node's own key where its file was lost, for a node that was not started, and returns the file.
   * Undefined while the `node-info` plugin is off. Rejects with `conflict` where there is a key.
   */
  createKey(): Promise<string | undefined>;
  /** Takes the memory out of the store of a started node, or into it. */
  transfer(): TenantTransfer;
  /**
   * Begins a new epoch of the store and steps its clock forward, on a node that was not started. Rejects with `lookup`
   * where there is no store.
   */
  markRestored(): Promise<RestoredStore>;
  /** Whether requests need a key. */
  readonly authRequired: boolean;
  /** Where the store is, for people. */
  readonly storeLocation: string;
  /** Folder for files that belong to the store, the first key among them. */
  readonly dataFolder: string;
  /** How many processes serve behind the port, from 1. */
  readonly workers: number;
  /** The node's log, usable before `start` and after `stop`. */
  readonly log: NodeLog;
}

/** One line for each call. */
export interface NodeLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** How the clock of a restored store was stepped, milliseconds since the epoch. */
export interface RestoredStore {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Export and import of whole tenants, past a serving node; several processes may use the store meanwhile. */
export interface TenantTransfer {
  /** Facts that an export would hold now. */
  count(tenantId: string): Promise<number>;
  /**
   * Hands over every line, with its line end, and how many facts are among them; waits for each call. Answers the
   * number of facts.
   */
  export(tenantId: string, sink: (lines: readonly string[], facts: number) => Promise<void>): Promise<number>;
  /**
   * Reads the first line of an export. Rejects with `validation`, or `conflict` when a service of another name wrote
   * it.
   */
  openImport(header: string): Promise<TenantImport>;
}

export interface TenantImport {
  readonly header: { readonly nodeId: string; readonly tenantId: string };
  /** False when the file comes from another node than the one of this store. */
  readonly sameNode: boolean;
  /** Takes in lines in one transaction. What is known already changes nothing. */
  take(lines: readonly { readonly number: number; readonly text: string }[]): Promise<ImportedLines>;
}

export interface ImportedLines {
  readonly facts: number;
  /** Facts that were new. */
  readonly stored: number;
  readonly refused: readonly { readonly number: number; readonly reason: string }[];
  /** Facts that the file says it holds, once its last line came by. */
  readonly announced: number | null;
}

export interface KeyRecord {
  readonly id: string;
  readonly entityUri: string;
  readonly permissions: readonly string[];
  readonly allowedScopes: readonly string[];
  readonly description: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339, null for a key without an end. */
  readonly expiresAt: string | null;
}

export interface NewKey {
  readonly rawKey: string;
  readonly entityUri: string;
  readonly permissions: readonly string[];
  readonly allowedScopes: readonly Scope[];
  readonly description: string | null;
  /** RFC 3339; undefined takes the node's maximum age. */
  readonly expiresAt: string | undefined;
}

export interface KeyAdministration {
  /** Everything that a key may be allowed. */
  readonly permissions: readonly string[];
  /** Keys ever registered, expired and revoked ones included. */
  count(): Promise<number>;
  /** Stores the digest of the key. Rejects with `conflict` when it is known already. */
  register(key: NewKey): Promise<KeyRecord>;
  /** Whether a request with this key would be served now. */
  isActive(rawKey: string): Promise<boolean>;
  /** Active keys of everybody, newest first. */
  list(): Promise<readonly KeyRecord[]>;
  /** Rejects with `lookup` for an unknown id. */
  revoke(id: string): Promise<void>;
}

export interface NewToken {
  readonly subject: string;
  readonly verb: string;
  readonly object: string;
  /** RFC 3339. Not together with `ttlSeconds`; without either an hour from now. */
  readonly expiry: string | undefined;
  readonly ttlSeconds: number | undefined;
}

/** A capability token without its text. Instants are RFC 3339. */
export interface TokenRecord {
  readonly tokenId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly verb: string;
  readonly object: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
}

export interface TokenAdministration {
  /** Signs and records a token. Rejects with `validation` for one that breaks a rule. */
  mint(token: NewToken): Promise<TokenRecord & { readonly tokenJson: string }>;
  /** Looks at the text of a token. The record is there when this node issued it. */
  show(
    tokenJson: string,
  ): Promise<{ readonly valid: boolean; readonly reason?: string; readonly record?: TokenRecord }>;
  /** Newest first. */
  list(): Promise<readonly TokenRecord[]>;
  /** Rejects with `lookup` for an unknown id, with `conflict` for a token that was ended before. */
  revoke(id: string): Promise<void>;
}

/** Public halves, base64url. */
export interface RotatedKey {
  readonly retiredPublicKey: string;
  readonly publicKey: string;
}

/** Everything a node consists of. Holds no secret. */
export interface NodeDescription {
  /** In the order of setup, those that are switched off last. */
  readonly plugins: readonly PluginDescription[];
  readonly routes: readonly RouteDescription[];
  readonly hooks: readonly {
    readonly hook: string;
    readonly kind: string;
    /** In the order of their calls. */
    readonly handlers: readonly { readonly plugin: string }[];
  }[];
  /** `plugin` is `core` for those of the store itself. */
  readonly tables: readonly { readonly name: string; readonly plugin: string }[];
  readonly settings: readonly SettingDescription[];
}

export interface PluginDescription {
  readonly name: string;
  readonly enabled: boolean;
  readonly version: string;
  readonly summary: string;
  /** Ids of refs; an optional one ends with a question mark. */
  readonly requires: readonly string[];
  readonly provides: readonly string[];
}

export interface SettingDescription {
  /** The way to it in the configuration file, for example `plugins.facts`. */
  readonly owner: string;
  readonly key: string;
  /** Environment variable that sets it. */
  readonly variable: string | undefined;
  /** As it came out; a secret is only said to be there or not. */
  readonly value: unknown;
  /** What set it, for example `default` or `environment`. */
  readonly origin: string;
}

export interface RouteDescription {
  readonly method: string;
  readonly path: string;
  /** `open`, `peer`, or the permissions that a key needs. */
  readonly access: string;
  readonly plugin: string;
  readonly summary: string;
}
