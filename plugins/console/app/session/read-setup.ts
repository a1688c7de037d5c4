import { askOpenly } from '../kit/platform.ts';

/** What the node tells before anybody has signed in. See `GET /console/setup.json`. */
export interface Setup {
  readonly service: string;
  readonly version: string;
  readonly node_id: string;
  readonly routes: readonly string[];
  readonly screens: readonly PluginScreen[];
  /** Whether the node asks for a key. Without one it takes everybody for the same reader. */
  readonly asks_for_key: boolean;
  /** Whether people may sign in by an identity provider. */
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
