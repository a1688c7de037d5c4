import type { ToolDefinition } from '../tool-definition.ts';
import { factTool } from './fact-tool.ts';
import { forgetTool } from './forget-tool.ts';
import { cardTool, conflictsTool, neighborsTool, queryTool, recallTool } from './read-tools.ts';
import { assertTool, resolveTool } from './write-tools.ts';

/** The tools for every model. A test checks that their list costs at most 2,500 tokens. */
export const CORE_TOOLS: readonly ToolDefinition[] = [
  recallTool,
  assertTool,
  queryTool,
  factTool,
  cardTool,
  neighborsTool,
  conflictsTool,
  resolveTool,
  forgetTool,
];
