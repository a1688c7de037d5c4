import type { McpServer } from '@modelcontextprotocol/server';
import type { AskNode } from './ask-node.ts';
import type { ToolChoice } from './listed-tools.ts';

export const registerPrompts = (_server: McpServer, _choice: ToolChoice, _node: AskNode): void => {};
