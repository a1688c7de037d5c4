import {
  Clock,
  Cursors,
  definePlugin,
  KERNEL_API,
  LocalRequests,
  NodeSelf,
  optional,
} from '../../kernel/plugin-api.ts';
import { ResourceMetadata } from '../oidc/oidc-api.ts';
import { askLocally } from './ask-node.ts';
import { createForgetTokens } from './forget-tokens.ts';
import type { HttpFace } from './http-face.ts';
import { mcpRoute } from './mcp-route.ts';
import { mcpSettings } from './mcp-settings.ts';

const VERSION = '0.9.0-alpha.1';

export const mcpPlugin = definePlugin({
  name: 'mcp',
  version: VERSION,
  kernelApi: KERNEL_API,
  summary: 'The memory as a server of the Model Context Protocol, for agents and editors',
  requires: {
    clock: Clock,
    cursors: Cursors,
    routes: LocalRequests,
    self: NodeSelf,
    signIn: optional(ResourceMetadata),
  },
  config: mcpSettings,
  setup({ config: choice, use, route, onStop }) {
    const { clock, cursors, routes, self, signIn } = use;
    const tokens = createForgetTokens(cursors, clock);
    let loaded: Promise<HttpFace> | undefined;
    const face = (): Promise<HttpFace> => {
      // Whoever does not use the protocol does not pay for its library.
      loaded ??= import('./http-face.ts').then(({ createHttpFace }) => createHttpFace());
      return loaded;
    };
    onStop(async () => (await loaded)?.close());
    route(
      mcpRoute({
        face,
        partsFor: (request) => ({
          choice,
          node: askLocally(request, routes),
          tokens,
          name: self.names.name,
          version: VERSION,
        }),
        nodeUrl: self.nodeUrl,
        resourceMetadata: signIn?.url,
      }),
    );
  },
});
