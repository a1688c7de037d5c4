import { defineCollectHook } from '../../kernel/plugin-api.ts';

/** A screen that a plugin adds to the console. */
export interface ConsoleScreen {
  /** Last part of its address, `/console/<name>`: lower-case letters, digits and dashes, at most 40. */
  readonly name: string;
  /** What the navigation calls it. */
  readonly title: string;
  /** Permissions of which a key needs one to be offered the screen; for every key unless given. */
  readonly permissions?: readonly string[];
  /**
   * An ECMAScript module that imports nothing and exports `mount(place)`, where `place` is a `ConsolePlace`. `mount`
   * fills `place.element` and may return a function that is called when the reader leaves.
   */
  readonly script: string | Uint8Array;
  /** A style sheet; its selectors should begin with `.screen-<name>`, the class of `place.element`. */
  readonly style?: string | Uint8Array;
}

/** What a screen of a plugin is given in the browser. */
export interface ConsolePlace {
  readonly element: HTMLElementLike;
  /** Asks the node as the reader: the path begins with `/v1/`. Rejects with an `Error` for what the node refuses. */
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Permissions of the reader's key. */
  readonly permissions: readonly string[];
  /** Leads to another screen, for example `facts?entity=user:alice`. */
  open(address: string): void;
}

/** As much of an element of a page as can be said without a page. */
export interface HTMLElementLike {
  textContent: string | null;
  append(...nodes: unknown[]): void;
}

/** Gathers the screens of other plugins, once in the life of a process. */
export const consoleScreens = defineCollectHook<undefined, ConsoleScreen>('console:screens');
