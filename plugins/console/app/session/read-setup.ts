import { askOpenly } from '../kit/platform.ts';

/** Public information about the node. See `GET /console/setup.json`. */
export interface Setup {
  readonly service: string;
  /** The name of the product for people. */
  readonly display_name: string;
  readonly version: string;
  readonly node_id: string;
  readonly routes: readonly string[];
  readonly screens: readonly PluginScreen[];
  /** True if the node requires a key. Otherwise every reader counts as the same one. */
  readonly asks_for_key: boolean;
  /** True if people may sign in with an identity provider. */
  readonly has_sign_in: boolean;
}

/** A screen that a plugin of the node adds. */
export interface PluginScreen {
  readonly name: string;
  readonly title: string;
  readonly permissions: readonly string[];
  readonly script: string;
  readonly style: string | null;
}

export const readSetup = (): Promise<Setup> => askOpenly('/console/setup.json');
