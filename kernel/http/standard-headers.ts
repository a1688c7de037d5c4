/**
 * What each answer carries whatever else it says: its id, and that browsers must not guess a type. What needed a
 * credential is kept by no cache, errors included.
 */
export const standardHeaders = (requestId: string, isProtected: boolean): Record<string, string> =>
  isProtected
    ? { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' }
    : { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' };

/**
 * What a page carries besides: it loads nothing, is shown in no frame and tells nobody where it was. A route that needs
 * more sends a policy of its own, which stands in place of this one.
 */
export const pageHeaders = (contentType: string | undefined): Readonly<Record<string, string>> | undefined =>
  contentType !== undefined && PAGE.test(contentType) ? PAGE_HEADERS : undefined;

const PAGE = /^(?:text\/html|application\/xhtml\+xml)\b/i;

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};
