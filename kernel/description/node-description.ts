import { defineRef, type ReadReplica } from '../../ports/ports.ts';
import type { CommandArguments, CommandNeeds, CommandOptions } from '../commands/command-definition.ts';
import type { HookDescription } from '../hooks/hook-bus.ts';
import type { RouteExample, RouteHeader } from '../http/route-definition.ts';
import type { SettingReport } from '../plugins/plugin-config.ts';
import type { Answers, JsonSchema } from '../schemas/answer-schemas.ts';
import type { Components } from '../vocabulary/components.ts';
import type { OwnedWord } from '../vocabulary/vocabulary.ts';

/** The description of a plugin. */
export interface DescribedPlugin {
  readonly name: string;
  /**
   * False for a disabled plugin of the package, of which the description lists no routes, hooks, tables, tasks or
   * settings.
   */
  readonly enabled: boolean;
  readonly version: string;
  readonly summary: string;
  /** The ids of refs; an optional one ends with a question mark. */
  readonly requires: readonly string[];
  readonly provides: readonly string[];
}

export interface DescribedRoute {
  readonly method: string;
  readonly path: string;
  readonly plugin: string;
  readonly summary: string;
  /** The required right in words: `open`, `peer`, `any key`, or permissions joined by "or". */
  readonly access: string;
  /** The permissions of which a caller needs one; empty when it needs none. */
  readonly permissions: readonly string[];
  /** The quota that a request uses up. */
  readonly dimension: string | undefined;
  /** The schema of the path parameters. All schemas here are undefined where the route declares none. */
  readonly params: JsonSchema | undefined;
  readonly query: JsonSchema | undefined;
  /** Headers that the handler reads, by name. */
  readonly headers: Readonly<Record<string, RouteHeader>>;
  /** The schema of the body for the reference, even if the handler checks the members itself. */
  readonly body: JsonSchema | undefined;
  /** The schema of each item of a body with the form `items`. */
  readonly item: JsonSchema | undefined;
  /** `json`: one document; `items`: a JSON array or lines of JSON; `form`: a form of a page; `none`: no body. */
  readonly bodyForm: 'json' | 'items' | 'form' | 'none';
  readonly bodyOptional: boolean;
  readonly bodyLimit: 'standard' | 'bulk' | 'small';
  /** The answers by status, without problem documents, which every route may return. */
  readonly answers: Answers;
  readonly example: RouteExample | undefined;
}

/** A task that a plugin repeats while the node serves. */
export interface DescribedTask {
  readonly plugin: string;
  readonly intervalMs: number;
}

export interface DescribedCommand {
  readonly plugin: string;
  /** The full name with all words, for example `key add`. */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly needs: CommandNeeds;
  readonly arguments: CommandArguments;
  readonly options: CommandOptions;
  readonly examples: readonly string[];
}

/** The description of everything in a node. Contains no secret. */
export interface DescribedNode {
  /** The plugins in the order of setup, with the disabled ones last. */
  readonly plugins: readonly DescribedPlugin[];
  /** Commands that plugins add to the command line. */
  readonly commands: readonly DescribedCommand[];
  /** Error codes, permissions and all other words, each with its owner. */
  readonly words: readonly OwnedWord[];
  /** The routes by path, then method. */
  readonly routes: readonly DescribedRoute[];
  /** The schemas to which answers of routes refer, by name. */
  readonly components: Components;
  /** The hooks with handlers, by id. The handlers are in the order of their calls. */
  readonly hooks: readonly HookDescription[];
  /** The tables by name. `plugin` is `core` for those of the store itself. */
  readonly tables: readonly { readonly name: string; readonly plugin: string }[];
  /** The settings of the node, its adapters and the enabled plugins. */
  readonly settings: readonly SettingReport[];
  readonly tasks: readonly DescribedTask[];
}

/** The seal of the contents of the store. */
export interface DescribedSeal {
  readonly isSealed: boolean;
  /** The id of the key of the operator that opens the content keys. Null for a clear store, and without their file. */
  readonly keyId: string | null;
}

/** Provides a description of the node, for documentation and the console. */
export interface NodeDescription {
  /** Returns the current description, complete after every plugin was set up. */
  read(): Promise<DescribedNode>;
  /** Tells whether the store is sealed. May be called as soon as the store is open. */
  readSeal(): Promise<DescribedSeal>;
  /** Returns what this process knows of the replicas of the store, see `FactStore.replicas`; empty without any. */
  readReplicas(): Promise<readonly ReadReplica[]>;
}

export const NodeDescription = defineRef<NodeDescription>('kernel.node-description');
