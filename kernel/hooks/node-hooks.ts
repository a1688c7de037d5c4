import { defineCollectHook } from './define-hook.ts';

/** Members of the metadata document. Later plugins win. */
export const nodeMetadata = defineCollectHook<Record<string, never>, Readonly<Record<string, unknown>>>(
  'node:metadata',
);

/** A plugin's part of the greeting that the command line prints after a start. */
export interface GreetingPart {
  /** For a first start alone, each line with its label: their presence marks a first start. */
  readonly lines?: readonly (readonly [label: string, text: string])[];
  /** For any later start: a few words, such as where the first key lies. */
  readonly note?: string;
  /** Options of curl that give a credential, for the examples of a first start. */
  readonly curlOptions?: string;
  /** Examples of a first start: a title, and a shell command or an address to open, for the node at `base`. */
  examples?(base: string, curlOptions: string): readonly (readonly [title: string, example: string])[];
}

/**
 * Called when a user has started a node by hand, with `start` or `init`: once for all processes, and before they serve.
 * Programs that embed a node do not call it.
 */
export const nodeGreeting = defineCollectHook<Record<string, never>, GreetingPart>('node:greeting');

/**
 * Whether this process takes requests now. A throw, or a returned problem, keeps new ones away; the node stays healthy
 * and still serves. The text goes to the log, not to the caller.
 */
export const nodeReadiness = defineCollectHook<Record<string, never>, string>('node:readiness');

/** A throw, or a problem returned, makes the node unhealthy; the text goes to the log, not to the caller. */
export const nodeHealth = defineCollectHook<Record<string, never>, string>('node:health');
