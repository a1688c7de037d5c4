import type { AskNode } from './ask-node.ts';
import type { ForgetTokens } from './forget-tokens.ts';
import type { JsonObject } from './refused-question.ts';

/** What a tool works with. */
export interface ToolContext {
  readonly node: AskNode;
  readonly tokens: ForgetTokens;
  /** What the client gave to make a call that it repeats take effect once. */
  readonly idempotencyKey: string | undefined;
}

export interface ToolResult {
  /** Fits the output schema of the tool. */
  readonly structured: JsonObject;
  /** The same in short, for models that read text. */
  readonly text: string;
}

/** What a tool may change. `hides`: something that callers saw is not shown any more. */
export type ToolEffect = 'nothing' | 'adds' | 'hides';

export interface ToolDefinition {
  readonly name: string;
  /** What the model reads to choose it. Every word is paid for in each session. */
  readonly description: string;
  /** The permission without which every call would be refused; `any` for every key. */
  readonly permission: string;
  /** Routes without which it cannot work: where one is missing, its plugin is off, and so is the tool. */
  readonly routes: readonly string[];
  readonly effect: ToolEffect;
  /** Members of its arguments. */
  readonly input: Readonly<Record<string, JsonObject>>;
  readonly required?: readonly string[];
  /** Members of its structured result. */
  readonly output: Readonly<Record<string, JsonObject>>;
  // biome-ignore lint/suspicious/noExplicitAny: arguments that the input schema has checked
  run(args: any, context: ToolContext): Promise<ToolResult>;
}

/** Gives `run` the type of its arguments, which the input schema describes. */
export const defineTool = <A>(
  tool: Omit<ToolDefinition, 'run'> & { run(args: A, context: ToolContext): Promise<ToolResult> },
): ToolDefinition => Object.freeze(tool);

export const TEXT = { type: 'string' } as const;
export const SHARE = { type: 'number', minimum: 0, maximum: 1 } as const;
export const FLAG = { type: 'boolean' } as const;
export const OBJECTS = { type: 'array', items: { type: 'object' } } as const;
export const CURSOR = { type: ['string', 'null'] } as const;
export const SCOPE = { type: 'string', enum: ['local', 'team', 'company', 'public'] } as const;

export const limitTo = (maximum: number, byDefault: number) =>
  ({ type: 'integer', minimum: 1, maximum, default: byDefault }) as const;
