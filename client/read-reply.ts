import {
  type ErrorDetails,
  errorFor,
  type FactMemoryError,
  InvalidReplyError,
  type ProblemMember,
} from './client-errors.ts';

/** The maximum size of a reply, larger than any page of a node. Longer replies are read as streams. */
const MAX_REPLY_BYTES = 64 * 2 ** 20;
const MAX_PROBLEM_BYTES = 2 ** 20;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json(?:\s*;|$)/i;

const PAGE_TYPE = /^text\/html\b/i;

/** Throws for a web page in reply to a route that has none, because then the url is not that of a node. */
export const refusePage = (response: Response, route: string): void => {
  if (!PAGE_TYPE.test(response.headers.get('content-type') ?? '') || !PROGRAM_ROUTE.test(route)) return;
  void response.body?.cancel().catch(() => undefined);
  throw invalidReply(response, 'the reply is a web page: the url is not the address of a node');
};

/** Routes for programs. All others may return a page for people. */
const PROGRAM_ROUTE = /^[A-Z]+ \/(?:v1\/|healthz$|readyz$|\.well-known\/)/;

/** Returns the body of a reply: its JSON, its text, or undefined without one. */
export const readBody = async (response: Response): Promise<unknown> => {
  if (response.status === 204) return undefined;
  const text = await readText(response, MAX_REPLY_BYTES);
  if (!JSON_TYPE.test(response.headers.get('content-type') ?? '')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidReply(response, 'the reply is no JSON, though it says so');
  }
};

/** Returns the error for a reply whose status is not 2xx. */
export const readProblem = async (response: Response): Promise<FactMemoryError> => {
  const body = parse(await readText(response, MAX_PROBLEM_BYTES).catch(() => ''));
  const problem = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const { code, detail, errors, request_id: requestId } = problem;
  const details: ErrorDetails = {
    status: response.status,
    code: typeof code === 'string' ? code : 'http_error',
    detail: typeof detail === 'string' ? detail : `the server returned ${response.status} without saying why`,
    errors: Array.isArray(errors) ? errors.filter(isMember) : [],
    requestId: typeof requestId === 'string' ? requestId : (response.headers.get('x-request-id') ?? undefined),
    retryAfter: retryAfterOf(response),
    body,
  };
  return errorFor(details);
};

/** Returns the text of a body. Throws when it is too long. */
const readText = async (response: Response, maxBytes: number): Promise<string> => {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = '';
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.byteLength;
    if (length > maxBytes) {
      void reader.cancel().catch(() => undefined);
      throw invalidReply(response, `the reply is longer than ${maxBytes} bytes; read it with "open" as a stream`);
    }
    text += decoder.decode(value, { stream: true });
  }
};

const invalidReply = (response: Response, detail: string): InvalidReplyError => {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  return new InvalidReplyError({ status: response.status, code: 'invalid_reply', detail, requestId });
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

const isMember = (value: unknown): value is ProblemMember =>
  typeof value === 'object' && value !== null && 'path' in value && 'message' in value;

/** Parses the header as whole seconds, because nodes send no date. */
const retryAfterOf = ({ headers }: Response): number | undefined => {
  const text = headers.get('retry-after');
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
};
