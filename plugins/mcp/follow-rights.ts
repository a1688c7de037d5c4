import type { JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';
import type { AskNode } from './ask-node.ts';
import { changeSent } from './change-sent.ts';
import { listedTools, type ToolChoice } from './listed-tools.ts';
import { refusalOf } from './refused-question.ts';

interface RightsParts {
  readonly choice: ToolChoice;
  readonly node: AskNode;
  report(error: unknown): void;
}

/**
 * When the node has identified the caller, narrows the list of tools to the caller's rights, and notifies a client that
 * has a longer list. Until then, each request for the list asks the node again.
 */
export const followRights = (server: McpServer, { choice, node, report }: RightsParts): void => {
  if (node.known === undefined) return;
  const offered = (): ReadonlySet<string> => new Set(listedTools(choice, node).map(({ name }) => name));
  let listed: number | undefined;
  changeSent(server, (message) => {
    if (!isToolList(message)) return message;
    const names = offered();
    listed = names.size;
    void node.ready().catch((error: unknown) => refusalOf(error, { report }));
    const { result } = message;
    return { ...message, result: { ...result, tools: result.tools.filter(({ name }) => names.has(name)) } };
  });
  void node.known.then(() => {
    if (listed !== undefined && listed !== offered().size) server.sendToolListChanged();
  });
};

type ToolList = JSONRPCMessage & { readonly result: { readonly tools: readonly { readonly name: string }[] } };

const isToolList = (message: JSONRPCMessage): message is ToolList =>
  'result' in message && Array.isArray(message.result['tools']);
