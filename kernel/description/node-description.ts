import { defineRef } from '../../ports/ports.ts';
import type { CommandArguments, CommandNeeds, CommandOptions } from '../commands/command-definition.ts';
import type { HookDescription } from '../hooks/hook-bus.ts';
import type { RouteExample, RouteHeader } from '../http/route-definition.ts';
import type { SettingReport } from '../plugins/plugin-config.ts';
import type { Answers, JsonSchema } from '../schemas/answer-schemas.ts';
import type { Components } from '../vocabulary/components.ts';
import type { OwnedWord } from '../vocabulary/vocabulary.ts';

/** The declaration of a plugin. */
export interface DescribedPlugin {
  readonly name: string;
  /** False for a disabled plugin of the package: it has no routes, hooks, tables, tasks or settings here. */
  readonly enabled: boolean;
  readonly version: string;
  readonly summary: string;
  /** Ids of refs; an optional one ends with a question mark. */
  readonly requires: readonly string[];
  readonly provides: readonly string[];
}

export interface DescribedRoute {
  readonly method: string;
  readonly path: string;
  readonly plugin: string;
  readonly summary: string;
  /** In words: `open`, `peer`, `any key`, or the permissions of which one is needed, with "or" between them. */
  readonly access: string;
  /** The permissions of which one is needed; empty where none is. */
  readonly permissions: readonly string[];
  /** The quota that a request uses up. */
  readonly dimension: string | undefined;
  /** Path parameters. Each schema is undefined where the route declares none. */
  readonly params: JsonSchema | undefined;
  readonly query: JsonSchema | undefined;
  /** Headers that the handler reads, by name. */
  readonly headers: Readonly<Record<string, RouteHeader>>;
  /** As the reference shows it, where the handler judges the members itself. */
  readonly body: JsonSchema | undefined;
  /** Of each item of a body with the form `items`. */
  readonly item: JsonSchema | undefined;
  /** `json`: one document; `items`: a JSON array or lines of JSON; `none`: no body. */
  readonly bodyForm: 'json' | 'items' | 'none';
  readonly bodyOptional: boolean;
  readonly bodyLimit: 'standard' | 'bulk' | 'small';
  /** By status; problem documents, which every route may return, are left out. */
  readonly answers: Answers;
  readonly example: RouteExample | undefined;
}

/** Work that a plugin repeats while the node serves. */
export interface DescribedTask {
  readonly plugin: string;
  readonly intervalMs: number;
}

export interface DescribedCommand {
  readonly plugin: string;
  /** All words of it, for example `key add`. */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly needs: CommandNeeds;
  readonly arguments: CommandArguments;
  readonly options: CommandOptions;
  readonly examples: readonly string[];
}

/** Everything that a node consists of. Holds no secret. */
export interface DescribedNode {
  /** In the order of setup; those that are switched off come last. */
  readonly plugins: readonly DescribedPlugin[];
  /** Commands that plugins add to the command line. */
  readonly commands: readonly DescribedCommand[];
  /** Error codes, permissions and all other words, each with its owner. */
  readonly words: readonly OwnedWord[];
  /** By path, then method. */
  readonly routes: readonly DescribedRoute[];
  /** Schemas that answers of routes refer to, by name. */
  readonly components: Components;
  /** Hooks with handlers, by id; the handlers in the order of their calls. */
  readonly hooks: readonly HookDescription[];
  /** By name; `plugin` is `core` for those of the store itself. */
  readonly tables: readonly { readonly name: string; readonly plugin: string }[];
  /** Of the node, its adapters and the plugins that are on. */
  readonly settings: readonly SettingReport[];
  readonly tasks: readonly DescribedTask[];
}

/** The node's own table of contents, for documentation and for a console. */
export interface NodeDescription {
  /** Describes the current state of the node; complete once every plugin was set up. */
  read(): Promise<DescribedNode>;
}

export const NodeDescription = defineRef<NodeDescription>('kernel.node-description');
