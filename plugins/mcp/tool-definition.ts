import type { AskNode } from './ask-node.ts';
import type { ForgetTokens } from './forget-tokens.ts';
import type { JsonObject } from './refused-question.ts';

/** The services of a tool. */
export interface ToolContext {
  readonly node: AskNode;
  readonly tokens: ForgetTokens;
  /** The client's key that makes a repeated call take effect once. */
  readonly idempotencyKey: string | undefined;
}

export interface ToolResult {
  /** Fits the output schema of the tool. */
  readonly structured: JsonObject;
  /** A short form, for models that read text. */
  readonly text: string;
}

/** The effect of a tool on the memory. `hides`: visible facts disappear. */
export type ToolEffect = 'nothing' | 'adds' | 'hides';

export interface ToolDefinition {
  readonly name: string;
  /** The text by which a model chooses the tool. Each session pays for every word. */
  readonly description: string;
  /** The permission that every call needs; `any` for every key. */
  readonly permission: string;
  /** The routes that the tool needs. If the plugin of a route is off, the tool is off too. */
  readonly routes: readonly string[];
  readonly effect: ToolEffect;
  /** Members of its arguments. */
  readonly input: Readonly<Record<string, JsonObject>>;
  readonly required?: readonly string[];
  /** Members of its structured result, beside `notice`. */
  readonly output: Readonly<Record<string, JsonObject>>;
  // biome-ignore lint/suspicious/noExplicitAny: arguments that the input schema has checked
  run(args: any, context: ToolContext): Promise<ToolResult>;
}

/** Gives `run` the type of its arguments, which the input schema describes. */
export const defineTool = <A>(
  tool: Omit<ToolDefinition, 'run'> & { run(args: A, context: ToolContext): Promise<ToolResult> },
): ToolDefinition => Object.freeze(tool);

export const TEXT = { type: 'string' } as const;
export const TEXTS = { type: 'array', items: TEXT } as const;
export const SHARE = { type: 'number', minimum: 0, maximum: 1 } as const;
export const FLAG = { type: 'boolean' } as const;
export const OBJECTS = { type: 'array', items: { type: 'object' } } as const;
export const CURSOR = { type: ['string', 'null'] } as const;
export const SCOPE = { type: 'string', enum: ['local', 'team', 'company', 'public'] } as const;

export const limitTo = (maximum: number, byDefault: number) =>
  ({ type: 'integer', minimum: 1, maximum, default: byDefault }) as const;
