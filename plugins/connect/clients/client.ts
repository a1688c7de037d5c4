import type { ConfigEdit, JsonEdit } from '../config-edit.ts';
import type { UserFolders } from '../user-folders.ts';

export type Scope = 'user' | 'project';
export type TransportName = 'stdio' | 'http';
export type HookName = 'session-start' | 'prompt' | 'session-end';

/** The target of a connection: the settings of a user or of a project. */
export interface Place {
  readonly folders: UserFolders;
  readonly scope: Scope;
  /** The project, for the scope `project`. */
  readonly folder: string;
}

/** How a client reaches the node: it starts a program, or sends HTTP requests. */
export type ServerEntry =
  | { readonly transport: 'stdio'; readonly command: string; readonly args: readonly string[] }
  /** `keyVariable` names the environment variable of the key, so that no configuration contains the key itself. */
  | { readonly transport: 'http'; readonly url: string; readonly keyVariable: string };

/** An entry of a client's file, in terms common to all clients. */
export interface WrittenEntry {
  readonly command?: string | undefined;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Name of a variable whose value is sent as the bearer token. */
  readonly bearerVariable?: string | undefined;
}

/** Returns the command line of a hook; undefined if the hook is not wanted. */
export type CommandOf = (hook: HookName) => string | undefined;

export interface ClientHooks {
  file(place: Place): string;
  /** The edit that makes each supported hook run the command line from `commandOf`. */
  edit(commandOf: CommandOf): JsonEdit;
  readonly names: readonly HookName[];
  /** The scopes in which the client can have the hooks; by default every scope. */
  readonly scopes?: readonly Scope[];
}

/** The hooks of a client in this place; undefined if it has none there. */
export const hooksIn = ({ hooks }: Client, { scope }: Place): ClientHooks | undefined =>
  hooks?.scopes?.includes(scope) === false ? undefined : hooks;

/** A program with support for the Model Context Protocol, and the format of its configuration. */
export interface Client {
  readonly name: string;
  /** Display name. */
  readonly title: string;
  readonly scopes: readonly Scope[];
  readonly transports: readonly TransportName[];
  /** Files or folders. The client counts as installed if one of them exists. */
  traces(folders: UserFolders): readonly string[];
  serverFile(place: Place): string;
  serverEdit(name: string, entry: ServerEntry): ConfigEdit;
  /** The entry with this name; undefined without one. Throws `validation` for a broken file. */
  readEntry(text: string, name: string): Promise<WrittenEntry | undefined>;
  readonly hooks?: ClientHooks;
  /** True if the client asks the user for the key of an HTTP server, in place of reading a variable. */
  readonly asksForKey?: boolean;
  /** Remarks and further steps for the user. */
  readonly remarks: readonly string[];
}
