import type { NodeDescription, NodeSelf, NodeSettings } from '../../kernel/plugin-api.ts';
import type { CodeSignIn } from '../oidc/oidc-api.ts';
import type { ContributedScreens, ListedScreen } from './contributed-screens.ts';

/** Public information about the node. The API reference, which is open too, reveals no less. */
export interface ConsoleSetup {
  readonly service: string;
  /** The name of the product for people. */
  readonly display_name: string;
  readonly version: string;
  readonly node_id: string;
  /** The routes of the node, such as `GET /v1/facts/{id}`. A screen whose route is missing is not offered. */
  readonly routes: readonly string[];
  readonly screens: readonly ListedScreen[];
  /** True if reading requires a key. Without one, requests count as those of one trusted reader. */
  readonly asks_for_key: boolean;
  /** True if people may sign in with an identity provider. */
  readonly has_sign_in: boolean;
}

export interface SetupParts {
  readonly self: NodeSelf;
  readonly node: NodeSettings;
  readonly description: NodeDescription;
  readonly screens: () => Promise<ContributedScreens>;
  readonly version: string;
  readonly signIn: CodeSignIn | undefined;
}

export const readSetup = async ({
  self,
  node,
  description,
  screens,
  version,
  signIn,
}: SetupParts): Promise<ConsoleSetup> => {
  const { routes } = await description.read();
  return {
    service: self.names.name,
    display_name: node.displayName,
    version,
    node_id: self.nodeId,
    routes: routes
      .filter(({ path }) => path.startsWith('/v1/'))
      .map(({ method, path }) => `${method} ${path.replace(/[:*]([a-z][a-z0-9_]*)/g, '{$1}')}`),
    screens: (await screens()).listed,
    asks_for_key: node.authRequired,
    has_sign_in: signIn?.isOffered === true,
  };
};
