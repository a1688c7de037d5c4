/**
 * Headers of every answer: its id, and that browsers must not guess a type. No cache may store a protected answer,
 * errors included.
 */
export const standardHeaders = (requestId: string, isProtected: boolean): Record<string, string> =>
  isProtected
    ? { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' }
    : { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' };

/**
 * Headers of every HTML page: it loads nothing, appears in no frame and sends no referrer. A route that needs more
 * sends a policy of its own, which replaces this one.
 */
export const pageHeaders = (contentType: string | undefined): Readonly<Record<string, string>> | undefined =>
  contentType !== undefined && PAGE.test(contentType) ? PAGE_HEADERS : undefined;

const PAGE = /^(?:text\/html|application\/xhtml\+xml)\b/i;

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};
