import type { Reply } from '../../kernel/plugin-api.ts';
import { objectOf, STRING_JSON } from '../../kernel/plugin-api.ts';

/** The error codes of RFC 6749, 7591, 7009 and 8707 that this server sends. */
export type OAuthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'request_not_supported'
  | 'temporarily_unavailable'
  | 'unsupported_grant_type'
  | 'unsupported_response_type';

/** An error in the form that OAuth clients expect, in place of a problem document. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The schema of a refusal. A malformed form gets a problem document instead. */
export const OAUTH_REFUSAL = {
  json: objectOf({ error: STRING_JSON, error_description: STRING_JSON }),
  text: ['application/problem+json'],
};

/** Keeps replies with tokens out of caches, because a token is for the client alone. */
export const NOT_CACHED = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/** Returns the reply of `answer`. An `OAuthError` becomes an error reply of OAuth. */
export const oauthReply = async (answer: () => Promise<Reply>): Promise<Reply> => {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const body = { error: error.code, error_description: error.message };
    const status = error.code === 'temporarily_unavailable' ? 503 : 400;
    return { status, headers: NOT_CACHED, body };
  }
};
