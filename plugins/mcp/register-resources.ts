import type { McpServer } from '@modelcontextprotocol/server';
import type { AskNode } from './ask-node.ts';

export const registerResources = (_server: McpServer, _node: AskNode): void => {};
