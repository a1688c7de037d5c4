import type { ToolDefinition } from '../tool-definition.ts';

/** What agents need now and then. They cost a model twice the words of the core tools. */
export const EXTENDED_TOOLS: readonly ToolDefinition[] = [];
