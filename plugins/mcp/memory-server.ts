import { type CallToolResult, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { DEFAULT_DISPLAY_NAME } from '../../kernel/internal-api.ts';
import { sha256Hex } from '../../kernel/plugin-api.ts';
import type { AskNode } from './ask-node.ts';
import { followRights } from './follow-rights.ts';
import type { ForgetTokens } from './forget-tokens.ts';
import { argumentsSchema, resultSchema } from './json-schemas.ts';
import { annotationsOf, listedTools, type ToolChoice } from './listed-tools.ts';
import { maskErrors } from './mask-errors.ts';
import { registerPrompts } from './prompts/register-prompts.ts';
import { problemText, type RefusedQuestion, refusalOf } from './refused-question.ts';
import { registerResources } from './resources/register-resources.ts';
import { serverInstructions } from './server-instructions.ts';
import type { ToolDefinition } from './tool-definition.ts';

export interface MemoryServerParts {
  readonly choice: ToolChoice;
  readonly node: AskNode;
  readonly tokens: ForgetTokens;
  /** Reports a bug to the operator. The client learns only that an error occurred. */
  report(error: unknown): void;
  /** The server's name for clients. */
  readonly name: string;
  /** The name for people; the usual one where the node is elsewhere. */
  readonly title?: string;
  readonly version: string;
}

/**
 * Creates the MCP server of one caller: its tools, resources and prompts. Over HTTP every request creates one, so it
 * must be cheap.
 */
export const createMemoryServer = (parts: MemoryServerParts): McpServer => {
  const { choice, node, name, title = DEFAULT_DISPLAY_NAME, version } = parts;
  const server = new McpServer(
    { name, version, title },
    {
      instructions: serverInstructions(choice),
      // The list of tools changes only once: when the node has identified the caller.
      capabilities: {
        tools: { listChanged: node.known !== undefined },
        resources: { listChanged: false },
        prompts: { listChanged: false },
      },
      maxToolInputElements: MAX_ARGUMENT_ELEMENTS,
    },
  );
  for (const tool of listedTools(choice, node)) registerTool(server, tool, parts);
  registerResources(server, parts);
  registerPrompts(server, parts);
  followRights(server, parts);
  return maskErrors(server);
};

/** The maximum number of members and elements in the arguments of one call. */
const MAX_ARGUMENT_ELEMENTS = 20_000;

const registerTool = (server: McpServer, tool: ToolDefinition, parts: MemoryServerParts): void => {
  const { node, tokens } = parts;
  const { name, description, effect, run } = tool;
  const { inputSchema, outputSchema } = schemasOf(tool);
  const config = { description, inputSchema, outputSchema, annotations: annotationsOf(effect) };
  server.registerTool(name, config, async (args, context) => {
    try {
      await node.ready();
      const result = await run(args, { node, tokens, idempotencyKey: idempotencyKeyOf(context) });
      return { structuredContent: result.structured, content: [{ type: 'text', text: result.text }] };
    } catch (error) {
      return refusedResult(refusalOf(error, parts));
    }
  });
};

const refusedResult = ({ problem }: RefusedQuestion): CallToolResult => ({
  isError: true,
  structuredContent: { error: problem },
  content: [{ type: 'text', text: problemText(problem) }],
});

/** Returns the digest of `_meta.idempotencyKey`, because the client may choose any text. */
const idempotencyKeyOf = ({ mcpReq }: ServerContext): string | undefined => {
  const given: unknown = mcpReq._meta?.['idempotencyKey'];
  return typeof given === 'string' && given !== '' ? sha256Hex(`mcp ${given}`) : undefined;
};

interface ToolSchemas {
  readonly inputSchema: ReturnType<typeof argumentsSchema>;
  readonly outputSchema: ReturnType<typeof resultSchema>;
}

/** Compiled once per process. */
const schemasOf = (tool: ToolDefinition): ToolSchemas => {
  const known = COMPILED.get(tool);
  if (known !== undefined) return known;
  const { input, required, output } = tool;
  const made = {
    inputSchema: argumentsSchema({
      type: 'object',
      properties: input,
      ...(required !== undefined && { required }),
    }),
    outputSchema: resultSchema({ type: 'object', properties: output }),
  };
  COMPILED.set(tool, made);
  return made;
};

const COMPILED = new WeakMap<ToolDefinition, ToolSchemas>();
