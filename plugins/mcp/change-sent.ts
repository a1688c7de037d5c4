import type { JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';

/** Lets `change` replace each message that the server sends. */
export const changeSent = (server: McpServer, change: (message: JSONRPCMessage) => JSONRPCMessage): void => {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(change(message), options);
    return connect(transport);
  };
};
