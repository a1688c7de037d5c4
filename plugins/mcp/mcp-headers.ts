import type { RouteHeader } from '../../kernel/plugin-api.ts';

/** The headers of the protocol, without the credential, which the node itself checks. */
export const MCP_HEADERS: Readonly<Record<string, RouteHeader>> = {
  'MCP-Protocol-Version': { summary: 'The revision of the protocol that the client speaks' },
  'Mcp-Session-Id': { summary: 'Accepted from older clients; the node keeps no sessions' },
  'Mcp-Method': { summary: 'The method of the message, again' },
  'Mcp-Name': { summary: 'The tool, resource or prompt of the message, again' },
};
