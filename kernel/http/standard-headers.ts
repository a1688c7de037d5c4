/**
 * Returns the headers of every answer: the request id, a ban on guessing the type, and for a protected answer, even an
 * error, a ban on caching.
 */
export const standardHeaders = (requestId: string, isProtected: boolean): Record<string, string> =>
  isProtected
    ? { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' }
    : { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' };

/** The header of every 503: most causes pass within a second or need an operator. */
export const RETRY_SOON: Readonly<Record<string, string>> = { 'Retry-After': '1' };

/**
 * Returns the headers of every HTML page: it loads nothing, appears in no frame and sends no referrer. A route that
 * needs more replaces this policy by its own.
 */
export const pageHeaders = (contentType: string | undefined): Readonly<Record<string, string>> | undefined =>
  contentType !== undefined && PAGE.test(contentType) ? PAGE_HEADERS : undefined;

const PAGE = /^(?:text\/html|application\/xhtml\+xml)\b/i;

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};
