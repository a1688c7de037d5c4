import type { AskNode } from './ask-node.ts';
import type { ToolDefinition, ToolEffect } from './tool-definition.ts';
import { CORE_TOOLS } from './tools/core-tools.ts';
import { EXTENDED_TOOLS } from './tools/extended-tools.ts';
import { withNarrowing } from './tools/narrowed-tools.ts';

export const PROFILES = ['core', 'extended'] as const;
export type Profile = (typeof PROFILES)[number];

export const isProfile = (text: string): text is Profile => PROFILES.some((profile) => profile === text);

/** The server's name for clients. */
export const SERVER_NAME = 'fact-memory';

export interface ToolChoice {
  readonly profile: Profile;
  /** Leaves out all tools that write. */
  readonly readOnly: boolean;
}

const TOOLS: Readonly<Record<Profile, readonly ToolDefinition[]>> = {
  core: CORE_TOOLS,
  extended: [...withNarrowing(CORE_TOOLS), ...EXTENDED_TOOLS],
};

/** The tools that the caller may use, that the node can serve and that the operator allows. */
export const listedTools = ({ profile, readOnly }: ToolChoice, node: AskNode): readonly ToolDefinition[] =>
  TOOLS[profile].filter(
    ({ permission, routes, effect }) =>
      (permission === 'any' || node.allows(permission)) &&
      (effect === 'nothing' || !readOnly) &&
      routes.every((route) => node.serves(route)),
  );

/** Hints that a client shows its user before it runs a tool. */
export const annotationsOf = (effect: ToolEffect) =>
  effect === 'nothing'
    ? { readOnlyHint: true, openWorldHint: false }
    : { readOnlyHint: false, destructiveHint: effect === 'hides', idempotentHint: true, openWorldHint: false };
