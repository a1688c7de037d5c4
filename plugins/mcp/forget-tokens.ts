import { type Clock, type CursorCodec, ServiceError, sha256Hex } from '../../kernel/plugin-api.ts';
import type { Caller } from './ask-node.ts';

/** Seconds between a preview and its confirmation. */
export const PREVIEW_LIFETIME_S = 300;

/** The content of a preview, which its token confirms. */
export interface Previewed {
  readonly caller: Caller;
  /** The arguments that say what to forget, all but the confirmation. */
  readonly target: unknown;
  /** The facts that would be hidden, at the time of the preview. */
  readonly state: unknown;
}

/**
 * Tokens that tie a confirmation to its preview: to the caller, the arguments and the shown facts. Nothing is stored,
 * because a token is a message authentication code, like a page cursor.
 */
export interface ForgetTokens {
  issue(previewed: Previewed): string;
  /** False for a token of another preview, and for an expired one. */
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
