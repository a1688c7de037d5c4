import type { HostileRequest } from './hostile-requests.ts';
import type { RawReply } from './raw-exchange.ts';

/** Patterns of internal details, such as stack traces and SQL. */
const LEAKS = [/\bat [^ ]+ \(?(file|node|\/)/, /\.[jt]s:\d+/, /SQLITE|SELECT |INSERT /, /node_modules/, /\/tmp\//];

/** The ids of the error codes that the node declares. */
export type ErrorCodeSet = ReadonlySet<string>;

type Problem = Readonly<Record<string, unknown>>;

const parse = (text: string): Problem | undefined => {
  try {
    return JSON.parse(text) as Problem;
  } catch {
    return undefined;
  }
};

/** Returns the problems of an error document. */
const problemFaults = (problem: Problem | undefined, status: number, codes: ErrorCodeSet): string[] => {
  if (problem === undefined) return ['is not JSON'];
  const { detail, code, type, errors } = problem;
  const faults: string[] = [];
  if (typeof detail !== 'string' || detail === '') faults.push('has no text as detail');
  if (typeof code !== 'string' || !codes.has(code)) faults.push(`has the unknown code ${String(code)}`);
  if (type !== `urn:svc:problem:${String(code)}`) faults.push(`has the type ${String(type)}`);
  if (problem['status'] !== status) faults.push(`says status ${String(problem['status'])}`);
  if (typeof problem['title'] !== 'string') faults.push('has no title');
  if (errors !== undefined && status !== 400 && status !== 422) faults.push('names members');
  const named = errors === undefined || (Array.isArray(errors) && errors.every(isViolation));
  if (!named) faults.push('names members in another form');
  return faults.map((fault) => `the problem ${fault}`);
};

const isViolation = (entry: unknown): boolean => {
  const { path, message } = entry as Readonly<Record<string, unknown>>;
  return typeof path === 'string' && typeof message === 'string';
};

/** Accepts a list of results in which every item was refused, like a refusal of the whole. */
const verdictFaults = (text: string, codes: ErrorCodeSet): string[] => {
  const answer = parse(text) as { accepted?: number; results?: { error?: Problem; status?: number }[] } | undefined;
  if (answer?.results === undefined) return ['was answered as if it were right'];
  if (answer.accepted !== 0) return [`let ${answer.accepted} items in`];
  return answer.results.flatMap(({ error, status }) => problemFaults(error, status ?? 0, codes));
};

/** The permitted WWW-Authenticate header: a route may also state where clients learn how to get a token. */
const CHALLENGE = /^Bearer(?: resource_metadata="http[^"]+")?$/;

const refusalFaults = ({ status, headers, text }: RawReply, codes: ErrorCodeSet): string[] => {
  const faults = headers.get('content-type') === 'application/problem+json' ? [] : ['is no problem document'];
  if (status === 401 && !CHALLENGE.test(headers.get('www-authenticate') ?? ''))
    faults.push('does not ask for a bearer token');
  if (status === 405 && headers.get('allow') === undefined) faults.push('does not name the methods there are');
  return [...faults, ...problemFaults(parse(text), status, codes)];
};

/** Returns all problems of an answer; an empty list for a good one. */
export const judgeReply = (hostile: HostileRequest, reply: RawReply, codes: ErrorCodeSet): string[] => {
  const { status, text } = reply;
  const { expect, statuses, secret } = hostile;
  const isVerdict = expect === 'verdict' && status === 200;
  const faults: string[] = [];
  if (status >= 500) faults.push(`was answered with ${status}`);
  else if (expect !== 'harmless' && status < 400 && !isVerdict) faults.push(`was accepted with ${status}`);
  else if (status >= 400 && statuses !== undefined && !statuses.includes(status))
    faults.push(`was answered with ${status}`);
  if (status >= 400) faults.push(...refusalFaults(reply, codes));
  if (isVerdict) faults.push(...verdictFaults(text, codes));
  for (const leak of LEAKS) if (status >= 400 && leak.test(text)) faults.push(`tells ${leak.source}`);
  if (secret !== undefined && text.includes(secret)) faults.push('echoes the secret');
  if (reply.headers.get('x-request-id') === undefined) faults.push('has no request id');
  return faults;
};
