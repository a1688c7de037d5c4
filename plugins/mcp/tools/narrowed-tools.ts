import { TEXT, TEXTS, type ToolDefinition } from '../tool-definition.ts';
import { cardTool, neighborsTool, queryTool, recallTool } from './read-tools.ts';

const NARROWABLE: readonly ToolDefinition[] = [recallTool, queryTool, cardTool, neighborsTool];

/** The arguments that narrow the facts of a read. The list of core tools has room for `after` and `before` only. */
const NARROWING = { after: TEXT, before: TEXT, entities: TEXTS, relations: TEXTS, sources: TEXTS, sessions: TEXTS };

/** Adds the arguments that narrow facts to each tool whose route takes them. */
export const withNarrowing = (tools: readonly ToolDefinition[]): readonly ToolDefinition[] =>
  tools.map((tool) => (NARROWABLE.includes(tool) ? { ...tool, input: { ...tool.input, ...NARROWING } } : tool));
