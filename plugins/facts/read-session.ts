import { memberRefusal, type RouteHeader, type RouteRequest, type ServiceNames } from '../../kernel/plugin-api.ts';

/** The maximum length of a session name in characters, after trimming. */
const MAX_SESSION_LENGTH = 128;

/** Reads the session name of a request; null without one. Throws `session_id_too_long` (400). */
export interface ReadSession {
  (request: Pick<RouteRequest<unknown, unknown, unknown>, 'header'>): string | null;
  /** Documents the session header, for a route's `headers`. */
  readonly headers: Readonly<Record<string, RouteHeader>>;
}

export const createReadSession = (names: ServiceNames): ReadSession => {
  const field = names.headers.session.toLowerCase();
  const read = (request: Pick<RouteRequest<unknown, unknown, unknown>, 'header'>): string | null => {
    const text = request.header(field);
    return text === undefined ? null : readSessionName(text, `header.${field}`);
  };
  return Object.assign(read, { headers: sessionHeader(names) });
};

/** Returns the `headers` of a route that accepts a session header. */
export const sessionHeader = (names: ServiceNames): Readonly<Record<string, RouteHeader>> => ({
  [names.headers.session]: {
    summary: 'The session that the request belongs to',
    json: { type: 'string', maxLength: MAX_SESSION_LENGTH },
  },
});

/** Returns the trimmed session name; null for an empty one. `path` names the member in violations. */
export const readSessionName = (text: string, path: string): string | null => {
  const session = text.trim();
  if (session.length > MAX_SESSION_LENGTH) {
    throw memberRefusal(path, `must not be longer than ${MAX_SESSION_LENGTH} characters`, 'session_id_too_long');
  }
  return session === '' ? null : session;
};
