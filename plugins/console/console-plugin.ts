import { defineOwnPlugin, NODE_VERSION } from '../../kernel/internal-api.ts';
import { NodeDescription, NodeSelf, NodeSettings, nodeGreeting, optional } from '../../kernel/plugin-api.ts';
import { CodeSignIn } from '../oidc/oidc-api.ts';
import { consoleScreens } from './console-api.ts';
import { ConsoleFiles } from './console-files.ts';
import { fileRoute, pageRoutes, setupRoute, signInRoute } from './console-routes.ts';
import { ContributedScreens } from './contributed-screens.ts';
import { OWN_SCREENS } from './own-screens.ts';
import { readSetup } from './read-setup.ts';

export const consolePlugin = defineOwnPlugin({
  name: 'console',
  summary: 'A page to see, correct and settle what is remembered',
  requires: { self: NodeSelf, node: NodeSettings, description: NodeDescription, signIn: optional(CodeSignIn) },
  setup({ use, hooks, on, route, onStart }) {
    const files = new ConsoleFiles();
    let gathered: Promise<ContributedScreens> | undefined;
    const screens = (): Promise<ContributedScreens> => {
      gathered ??= hooks.collect(consoleScreens, undefined).then((each) => new ContributedScreens(each, OWN_SCREENS));
      return gathered;
    };
    for (const page of pageRoutes(files)) route(page);
    route(fileRoute(files, screens));
    route(signInRoute(use.signIn));
    route(setupRoute(() => readSetup({ ...use, screens, version: NODE_VERSION })));
    on(nodeGreeting, () => ({ examples: (base) => [['Look at it in a browser', `${base}/console/`]] }));
    // A screen with a malformed name stops the start, not the first visitor.
    onStart(async () => {
      await screens();
    });
  },
});
