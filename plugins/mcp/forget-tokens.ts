import { type Clock, type CursorCodec, ServiceError, sha256Hex } from '../../kernel/plugin-api.ts';
import type { Caller } from './ask-node.ts';

/** Seconds between a preview and its confirmation. */
export const PREVIEW_LIFETIME_S = 300;

/** What a confirmation is good for. */
export interface Previewed {
  readonly caller: Caller;
  /** What was asked to be forgotten. */
  readonly target: unknown;
  /** What would be hidden, as it stood then. */
  readonly state: unknown;
}

/**
 * Tokens that tie a confirmation to its preview: to the caller, the arguments and what the preview showed. Nothing is
 * kept; a token is a message authentication code, as page cursors are.
 */
export interface ForgetTokens {
  issue(previewed: Previewed): string;
  /** False for any token that was not issued for exactly this, and for one that is too old. */
  accepts(token: string, previewed: Previewed): boolean;
}

export const createForgetTokens = (cursors: CursorCodec, clock: Pick<Clock, 'nowMs'>): ForgetTokens => ({
  issue: (previewed) =>
    cursors.encode({
      position: [],
      binding: bindingOf(previewed),
      expiresMs: clock.nowMs() + PREVIEW_LIFETIME_S * 1_000,
    }),
  accepts: (token, previewed) => {
    try {
      cursors.decode(token, { binding: bindingOf(previewed), nowMs: clock.nowMs() });
      return true;
    } catch (error) {
      if (error instanceof ServiceError && error.status === 400) return false;
      throw error;
    }
  },
});

const bindingOf = ({ caller, target, state }: Previewed): string =>
  JSON.stringify(['mcp.forget', caller.tenantId, caller.entityUri, target, sha256Hex(JSON.stringify(state))]);
