import { defineCollectHook } from '../../kernel/plugin-api.ts';

/** A screen that a plugin adds to the console. */
export interface ConsoleScreen {
  /** The last part of the screen's address, `/console/<name>`: lower-case letters, digits and dashes, at most 40. */
  readonly name: string;
  /** The name of the screen in the navigation. */
  readonly title: string;
  /** The screen is offered to keys with one of these permissions; to every key by default. */
  readonly permissions?: readonly string[];
  /**
   * An ECMAScript module that imports nothing and exports `mount(place)`, where `place` is a `ConsolePlace`. `mount`
   * fills `place.element` and may return a function that is called when the reader leaves.
   */
  readonly script: string | Uint8Array;
  /** A style sheet; its selectors should begin with `.screen-<name>`, the class of `place.element`. */
  readonly style?: string | Uint8Array;
}

/** The argument of a plugin's screen in the browser. */
export interface ConsolePlace {
  readonly element: HTMLElementLike;
  /** Sends a request as the reader; the path begins with `/v1/`. Rejects with an `Error` if the node refuses. */
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Permissions of the reader's key. */
  readonly permissions: readonly string[];
  /** Opens another screen, for example `facts?entity=user:alice`. */
  open(address: string): void;
}

/** A minimal type of a page element, because the node's build has no browser types. */
export interface HTMLElementLike {
  textContent: string | null;
  append(...nodes: unknown[]): void;
}

/** Collects the screens of other plugins, once per process. */
export const consoleScreens = defineCollectHook<undefined, ConsoleScreen>('console:screens');
