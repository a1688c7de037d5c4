import type { RouteHeader } from '../../kernel/plugin-api.ts';

/** Those that the protocol defines. The credential is not among them: the node has judged it. */
export const MCP_HEADERS: Readonly<Record<string, RouteHeader>> = {
  'MCP-Protocol-Version': { summary: 'The revision of the protocol that the client speaks' },
  'Mcp-Session-Id': { summary: 'Accepted from older clients; the node keeps no sessions' },
  'Mcp-Method': { summary: 'The method of the message, again' },
  'Mcp-Name': { summary: 'The tool, resource or prompt of the message, again' },
};
