import type { ConfigEdit, JsonEdit } from '../config-edit.ts';
import type { UserFolders } from '../user-folders.ts';

export type Scope = 'user' | 'project';
export type TransportName = 'stdio' | 'http';
export type HookName = 'session-start' | 'prompt' | 'session-end';

/** Where a connection is written to. */
export interface Place {
  readonly folders: UserFolders;
  readonly scope: Scope;
  /** The project, for the scope `project`. */
  readonly folder: string;
}

/** How a client reaches the node. */
export type ServerEntry =
  | { readonly transport: 'stdio'; readonly command: string; readonly args: readonly string[] }
  /** `keyVariable` names the variable that holds the key; the key itself is never written into a configuration. */
  | { readonly transport: 'http'; readonly url: string; readonly keyVariable: string };

/** An entry as a file of a client has it, in the words of all clients. */
export interface WrittenEntry {
  readonly command?: string | undefined;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Name of a variable whose value is sent as the bearer token. */
  readonly bearerVariable?: string | undefined;
}

/** The command line of a hook; undefined where it is not wanted. */
export type CommandOf = (hook: HookName) => string | undefined;

export interface ClientHooks {
  file(place: Place): string;
  /** The hooks that the client has, each run by the command line that `commandOf` returns. */
  edit(commandOf: CommandOf): JsonEdit;
  readonly names: readonly HookName[];
}

/** A program that speaks the Model Context Protocol, and how its configuration is written. */
export interface Client {
  readonly name: string;
  /** For people. */
  readonly title: string;
  readonly scopes: readonly Scope[];
  readonly transports: readonly TransportName[];
  /** Files or folders of which one exists where the client is installed. */
  traces(folders: UserFolders): readonly string[];
  serverFile(place: Place): string;
  serverEdit(name: string, entry: ServerEntry): ConfigEdit;
  /** The entry of a name, undefined where the file has none. Throws `validation` for a broken file. */
  readEntry(text: string, name: string): Promise<WrittenEntry | undefined>;
  readonly hooks?: ClientHooks;
  /** What the user has to know or to do. */
  readonly remarks: readonly string[];
}
