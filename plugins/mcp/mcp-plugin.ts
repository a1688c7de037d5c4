import { defineOwnPlugin, NODE_VERSION } from '../../kernel/internal-api.ts';
import { Clock, Cursors, LocalRequests, NodeSelf, NodeSettings, optional } from '../../kernel/plugin-api.ts';
import { ClientAccess } from '../oauth/oauth-api.ts';
import { ResourceMetadata } from '../oidc/oidc-api.ts';
import { askLocally } from './ask-node.ts';
import { createForgetTokens } from './forget-tokens.ts';
import type { HttpFace } from './http-face.ts';
import { SERVER_NAME } from './listed-tools.ts';
import { mcpCommand } from './mcp-command.ts';
import { mcpRoute } from './mcp-route.ts';
import { mcpSettings } from './mcp-settings.ts';

export const mcpPlugin = defineOwnPlugin({
  name: 'mcp',
  summary: 'The memory as a server of the Model Context Protocol, for agents and editors',
  requires: {
    clock: Clock,
    cursors: Cursors,
    routes: LocalRequests,
    self: NodeSelf,
    settings: NodeSettings,
    clients: optional(ClientAccess),
    signIn: optional(ResourceMetadata),
  },
  config: mcpSettings,
  commands: [mcpCommand],
  setup({ config: choice, use, log, route, onStop }) {
    const { clock, cursors, routes, self, settings, clients, signIn } = use;
    const tokens = createForgetTokens(cursors, clock);
    let loaded: Promise<HttpFace> | undefined;
    const face = (): Promise<HttpFace> => {
      // Loaded on demand, so that a node without MCP clients does not pay for the library.
      loaded ??= import('./http-face.ts').then(({ createHttpFace }) => createHttpFace());
      return loaded;
    };
    onStop(async () => (await loaded)?.close());
    route(
      mcpRoute({
        face,
        partsFor: (request) => ({
          choice,
          node: askLocally(request, routes, clock),
          tokens,
          report: (error) => log.error('a tool failed', { requestId: request.requestId, error }),
          name: SERVER_NAME,
          title: settings.displayName,
          version: NODE_VERSION,
        }),
        nodeUrl: self.nodeUrl,
        resourceMetadata: clients?.metadataUrl ?? signIn?.url,
      }),
    );
  },
});
