import { defineCollectHook } from './define-hook.ts';

/** Returns members of the metadata document. Later plugins take precedence. */
export const nodeMetadata = defineCollectHook<Record<string, never>, Readonly<Record<string, unknown>>>(
  'node:metadata',
);

/** A plugin's part of the message that the command line prints after a start. */
export interface GreetingPart {
  /** Lines for a first start only, each with its label. Their presence marks a first start. */
  readonly lines?: readonly (readonly [label: string, text: string])[];
  /** A few words for any later start, such as the location of the first key. */
  readonly note?: string;
  /** The curl options for a credential, for the examples of a first start. */
  readonly curlOptions?: string;
  /** Returns examples for a first start: a title, and a shell command or an address to open, for the node at `base`. */
  examples?(base: string, curlOptions: string): readonly (readonly [title: string, example: string])[];
}

export interface GreetingRequest {
  /** Whether the lines of the first start are due again, because that start failed before anybody could read them. */
  readonly isDue: boolean;
}

/**
 * Called when a user has started a node by hand, with `start` or `init`: once for all processes, and before they serve.
 * Programs that embed a node do not call it.
 */
export const nodeGreeting = defineCollectHook<GreetingRequest, GreetingPart>('node:greeting');

/**
 * Returns whether this process accepts requests now. After a throw or a returned problem, clients should send no new
 * requests; the node stays healthy and still serves. The text goes to the log, not to the caller.
 */
export const nodeReadiness = defineCollectHook<Record<string, never>, string>('node:readiness');

/** Returns a problem that makes the node unhealthy, as does a throw. The text goes to the log, not to the caller. */
export const nodeHealth = defineCollectHook<Record<string, never>, string>('node:health');
