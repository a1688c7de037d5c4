import { bodyText, hostileBodies } from './hostile-bodies.ts';
import { BAD_PARAMETERS, SUSPICIOUS_TEXT } from './hostile-values.ts';
import type { RawRequest } from './raw-exchange.ts';
import type { Fixtures, RouteRow } from './route-row.ts';

/** A hostile request, and its permitted answers. */
export interface HostileRequest {
  readonly name: string;
  readonly request: RawRequest;
  /**
   * `refused`: status 4xx and nothing stored; `verdict`: the same, or a list of refused items; `harmless`: a status
   * below 500.
   */
  readonly expect: 'refused' | 'verdict' | 'harmless';
  readonly statuses?: readonly number[];
  /** A text that must occur neither in the answer nor in the log. */
  readonly secret?: string;
}

export interface Keys {
  /** A key with every permission. */
  readonly all: string;
  /** Keys with one permission each. */
  readonly only: ReadonlyMap<string, string>;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'];
const JSON_TYPE: readonly [string, string] = ['Content-Type', 'application/json'];
const UNKNOWN_KEY = 'unknown-key-0123456789-must-never-come-back';

interface Parts {
  readonly row: RouteRow;
  readonly fixtures: Fixtures;
  readonly keys: Keys;
  /** Every registered route, as `METHOD path-pattern`. */
  readonly registered: ReadonlySet<string>;
}

const methodOf = (row: RouteRow): string => row.route.slice(0, row.route.indexOf(' '));
const patternOf = (row: RouteRow): string => row.route.slice(row.route.indexOf(' ') + 1);

const bearer = (key: string): readonly [string, string] => ['Authorization', `Bearer ${key}`];

/** Returns the valid request of a row, with parts of it replaced. */
export const rightRequest = (
  { row, fixtures, keys }: Pick<Parts, 'row' | 'fixtures' | 'keys'>,
  replaced: Partial<RawRequest> = {},
): RawRequest => {
  const query = row.baseQuery === undefined ? '' : `?${row.baseQuery}`;
  const body = row.body === undefined ? {} : { body: Buffer.from(bodyText(row.body)) };
  const type = row.body === undefined ? [] : [JSON_TYPE];
  return {
    method: methodOf(row),
    target: `${row.path(fixtures)}${query}`,
    headers: [bearer(keys.all), ...type],
    ...body,
    ...replaced,
  };
};

/** Returns whether any route accepts the method at the path of the row. */
const isTaken = ({ row, fixtures, registered }: Parts, method: string): boolean => {
  const path = row.path(fixtures);
  return [...registered].some((route) => {
    const [taken, pattern = ''] = route.split(' ');
    const fits = new RegExp(`^${pattern.replaceAll(/:[a-z_]+/g, '[^/]+').replaceAll(/[*][a-z_]+/g, '.+')}$`).test(path);
    return taken === method && (pattern === patternOf(row) || fits);
  });
};

const wrongMethods = (parts: Parts): HostileRequest[] =>
  METHODS.filter((method) => !isTaken(parts, method)).map((method) => ({
    name: `method ${method}`,
    request: rightRequest(parts, { method }),
    expect: 'refused',
    statuses: [405],
  }));

const wrongCredentials = (parts: Parts): HostileRequest[] => {
  if (parts.row.isOpen === true) return [];
  const type = parts.row.body === undefined ? [] : [JSON_TYPE];
  const { all } = parts.keys;
  const cases: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
    ['no credential', []],
    ['an unknown key', [bearer(UNKNOWN_KEY)]],
    ['two credentials', [bearer(all), bearer(all)]],
    ['a list of credentials', [['Authorization', `Bearer ${all}, Bearer ${all}`]]],
    ['another scheme', [['Authorization', `Basic ${Buffer.from(`x:${UNKNOWN_KEY}`).toString('base64')}`]]],
    ['the key alone', [['Authorization', all]]],
    ['a key with a tab', [['Authorization', `Bearer\t${all}`]]],
    ['an empty key', [['Authorization', 'Bearer ']]],
    ['a key of 8 KiB', [bearer(UNKNOWN_KEY.repeat(200))]],
    ['a key cut short', [bearer(all.slice(0, -1))]],
    ['a key with more behind it', [bearer(`${all}x`)]],
    ['a key in capitals', [bearer(all.toUpperCase())]],
  ];
  const { target } = rightRequest(parts);
  const inQuery = `${target}${target.includes('?') ? '&' : '?'}access_token=${all}`;
  return [
    ...cases.map(
      ([name, headers]): HostileRequest => ({
        name,
        request: rightRequest(parts, { headers: [...headers, ...type] }),
        expect: 'refused',
        statuses: [401],
        secret: UNKNOWN_KEY,
      }),
    ),
    {
      name: 'a key in the query',
      request: rightRequest(parts, { headers: type, target: inQuery }),
      expect: 'refused',
      statuses: [401],
      secret: all,
    },
  ];
};

const wrongPermissions = (parts: Parts): HostileRequest[] =>
  (parts.row.lacking ?? []).map((permission) => ({
    name: `a key that may only ${permission}`,
    request: rightRequest(parts, {
      headers: [bearer(parts.keys.only.get(permission) ?? ''), ...(parts.row.body === undefined ? [] : [JSON_TYPE])],
    }),
    expect: 'refused',
    statuses: [403],
  }));

const WRONG_TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/json'];
const OTHER_CHARSETS = ['application/json; charset=utf-16', 'application/json; charset=iso-8859-1'];

const wrongTypes = (parts: Parts): HostileRequest[] => {
  if (parts.row.body === undefined) return [];
  const credential = bearer(parts.keys.all);
  const refused = (name: string, headers: readonly (readonly [string, string])[]): HostileRequest => ({
    name,
    request: rightRequest(parts, { headers: [credential, ...headers] }),
    expect: 'refused',
    statuses: [415],
  });
  return [
    ...[...WRONG_TYPES, ...OTHER_CHARSETS].map((type) => refused(`type ${type}`, [['Content-Type', type]])),
    refused('no type', []),
    ...['gzip', 'deflate', 'br'].map((coding) =>
      refused(`coding ${coding}`, [JSON_TYPE, ['Content-Encoding', coding]]),
    ),
  ];
};

const wrongBodies = (parts: Parts): HostileRequest[] =>
  parts.row.body === undefined
    ? []
    : hostileBodies(parts.row.body).map(({ name, bytes, expect, statuses }) => ({
        name,
        request: rightRequest(parts, { body: bytes }),
        expect: expect === 'harmless' ? expect : expect === 'whole' ? 'refused' : 'verdict',
        ...(statuses === undefined ? {} : { statuses }),
      }));

const withQuery = (parts: Parts, query: string): RawRequest => {
  const { target } = rightRequest(parts);
  return rightRequest(parts, { target: `${target}${target.includes('?') ? '&' : '?'}${query}` });
};

const twice = (parts: Parts, name: string): HostileRequest[] =>
  parts.row.repeated?.includes(name) === true
    ? []
    : [
        {
          name: `${name} twice`,
          request: withQuery(parts, `${name}=1&${name}=1`),
          expect: 'refused',
          statuses: [400],
        },
      ];

const wrongQueries = (parts: Parts): HostileRequest[] =>
  Object.entries(parts.row.query ?? {}).flatMap(([name, kind]) => [
    ...BAD_PARAMETERS[kind].map(
      (text): HostileRequest => ({
        name: `${name}=${text.slice(0, 40)}`,
        request: withQuery(parts, `${name}=${text}`),
        expect: 'refused',
        statuses: kind === 'garden' ? [400, 403, 404] : [400],
      }),
    ),
    ...twice(parts, name),
    ...SUSPICIOUS_TEXT.map(
      (text): HostileRequest => ({
        name: `${name}=${text}`,
        request: withQuery(parts, `${name}=${encodeURIComponent(text)}`),
        expect: 'harmless',
      }),
    ),
  ]);

const strangeQueries = (parts: Parts): HostileRequest[] => [
  ...['%', 'a=%E0%A4%A', '%FF=1'].map(
    (query): HostileRequest => ({
      name: `query ${query}`,
      request: withQuery(parts, query),
      expect: 'harmless',
    }),
  ),
  ...['limit[]=1', 'limit[a]=1', '__proto__[admin]=1', 'constructor=1', '=', `${'a=1&'.repeat(2000)}`].map(
    (query): HostileRequest => ({
      name: `query ${query.slice(0, 40)}`,
      request: withQuery(parts, query),
      ...(parts.row.isOpen === true ? { expect: 'harmless' } : { expect: 'refused', statuses: [400] }),
    }),
  ),
  { name: 'a query of separators', request: withQuery(parts, '&&&'), expect: 'harmless' },
];

const BROKEN_PATHS = ['%', '%zz', '%E0%A4%A', '%FF', '%ED%A0%80', '%00', 'x%00'];
const STRANGE_PATHS = [
  '..',
  '..%2f..%2fetc%2fpasswd',
  '%2e%2e%2f',
  '%252e',
  '.',
  '%20',
  "'%20OR%201=1--",
  `${'x'.repeat(8000)}`,
];

const wrongPaths = (parts: Parts): HostileRequest[] => {
  const at = parts.row.parameter;
  if (at === undefined) return [];
  const right = rightRequest(parts);
  const broken = BROKEN_PATHS.map(
    (text): HostileRequest => ({
      name: `path with ${text}`,
      request: { ...right, target: at(text) },
      expect: 'refused',
      statuses: [400],
    }),
  );
  const strange = STRANGE_PATHS.map(
    (text): HostileRequest => ({
      name: `path with ${text.slice(0, 40)}`,
      request: { ...right, target: at(text) },
      expect: parts.row.findsNothing === true ? 'harmless' : 'refused',
    }),
  );
  return [...broken, ...strange];
};

const wrongHeaders = (parts: Parts): HostileRequest[] => [
  ...(parts.row.badHeaders ?? []).map(
    ([name, value]): HostileRequest => ({
      name: `header ${name}: ${value.slice(0, 20)}`,
      request: rightRequest(parts, { headers: [...rightRequest(parts).headers, [name, value]] }),
      expect: 'refused',
      statuses: [400],
    }),
  ),
  {
    name: 'headers beyond the limit',
    request: rightRequest(parts, { headers: [...rightRequest(parts).headers, ['X-Filler', 'x'.repeat(33 * 1024)]] }),
    expect: 'refused',
    statuses: [431],
  },
  {
    name: 'a target beyond the limit',
    request: withQuery(parts, `a=${'x'.repeat(33 * 1024)}`),
    expect: 'refused',
    statuses: [431],
  },
];

/** Returns all hostile requests to one route. */
export const hostileRequests = (parts: Parts): HostileRequest[] => [
  ...wrongMethods(parts),
  ...wrongCredentials(parts),
  ...(parts.row.isForPeers === true ? keysForTokens(parts) : behindCredential(parts)),
];

/** API keys with any permissions, which must not be accepted as peer tokens. */
const keysForTokens = (parts: Parts): HostileRequest[] => {
  const type = parts.row.body === undefined ? [] : [JSON_TYPE];
  return [...parts.keys.only].map(([permission, key]) => ({
    name: `a key that may ${permission}`,
    request: rightRequest(parts, { headers: [bearer(key), ...type] }),
    expect: 'refused',
    statuses: [401],
    secret: key,
  }));
};

const behindCredential = (parts: Parts): HostileRequest[] => [
  ...wrongPermissions(parts),
  ...wrongTypes(parts),
  ...wrongBodies(parts),
  ...wrongQueries(parts),
  ...strangeQueries(parts),
  ...wrongPaths(parts),
  ...wrongHeaders(parts),
];
